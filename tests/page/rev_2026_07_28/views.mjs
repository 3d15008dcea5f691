// Each view once: what axe finds in it, whether it fits its width, what hostile text became, and what it costs.

import { overtaken } from "./people.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

async function visit(page, open, seen) {
  await open("#/tasks");
  await page.getByText("There are no tasks yet.").waitFor();
  for (const tool of ["gallery", "fail", "count"]) {
    await page.goto(`${page.url().split("#")[0]}#/run/${tool}`);
    await button(page, "Run").click();
    await page.locator(".card .badge").filter({ hasText: /Completed|Failed/ }).waitFor();
    await seen(tool);
  }
  await page.goto(`${page.url().split("#")[0]}#/run/book`);
  await page.getByText("Ask for everything").waitFor();
  await seen("run");
  await button(page, "Run").click();
  await page.getByRole("heading", { name: "It asks you" }).waitFor();
  await seen("question");
  await button(page, "Send answer").click();
  await page.getByText("Fill this in.").first().waitFor();
  await seen("errors");
  await button(page, "Cancel task").click();
  await seen("confirm");
  await page.goto(`${page.url().split("#")[0]}#/tasks`);
  await page.locator(".rows a").first().waitFor();
  await seen("list");
  await page.getByLabel("Filter by tool, note or id").fill("no such thing");
  await seen("nothing");
  await page.goto(`${page.url().split("#")[0]}#/inbox`);
  await page.getByRole("article").first().waitFor();
  await page.getByRole("article").first().getByRole("button", { name: "Decline" }).click();
  await page.locator("summary", { hasText: "Decided in the last day" }).click();
  await page.locator(".past").first().waitFor();
  await seen("inbox");
  await page.goto(`${page.url().split("#")[0]}#/tenants`);
  await page.getByRole("heading", { name: "local" }).waitFor();
  await seen("tenants");
}

export async function audited({ page, open, shoot, given, require }) {
  const axe = require.resolve("axe-core/axe.min.js");
  const { readFileSync } = require("node:fs");
  const source = readFileSync(axe, "utf8");
  const found = {};
  const look = async (view) => {
    // As the policy lets no page load it, the debugger does.
    await page.evaluate(source);
    const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const wide = await page.evaluate(() =>
      [document.scrollingElement, ...document.querySelectorAll("main, .pane, .scroller")]
        .filter((each) => each.scrollWidth > each.clientWidth + 1)
        .map((each) => `${each.className || each.localName} ${each.scrollWidth} > ${each.clientWidth}`),
    );
    found[view] = {
      violations: violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`),
      passes: passes.length,
      wide,
    };
    await shoot(`${view}-${given.label}`);
  };
  await visit(page, open, look);
  return found;
}

export async function login_audited({ page, open, shoot, given, require }) {
  const { readFileSync } = require("node:fs");
  await open();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run(document));
  await shoot(`login-${given.label}`);
  return violations.map((each) => each.id);
}

// Everything that could run or lead somewhere, but for the page's own script and the https links that are meant.
const suspects = () => ({
  hidden: /[\u202a-\u202e\u2066-\u2069]/.test(document.title + document.body.textContent),
  elements: document.querySelectorAll("script, iframe, object, embed, svg, math, video, audio, base, form[action], meta[http-equiv]").length,
  handlers: [...document.querySelectorAll("*")].flatMap((each) =>
    [...each.attributes].filter(({ name }) => name.startsWith("on") || name === "style" || name === "srcdoc").map(({ name }) => name),
  ).filter((name) => name !== "style").length,
  links: [...document.querySelectorAll("[href], [src], [action], [formaction]")]
    .flatMap((each) => [each.getAttribute("href"), each.getAttribute("src")].filter(Boolean))
    .filter((each) => !/^(#|https:|data:,|data:image\/(png|jpeg|gif|webp);base64,)/.test(each)),
});

export async function attacked({ page, open, given }) {
  const seen = [];
  const look = async (where) => {
    await page.waitForTimeout(50);
    const found = await page.evaluate(suspects);
    if (found.elements !== 1 || found.handlers || found.links.length || found.hidden) seen.push({ where, ...found });
  };
  await open();
  for (let place = 0; place < given.payloads.length; place += 1) {
    await page.goto(`${page.url().split("#")[0]}#/run/hostile_${place}`);
    await button(page, "Run").waitFor();
    await look(`form ${place}`);
    await button(page, "Run").click();
    await page.getByRole("heading", { name: "It asks you" }).waitFor();
    await look(`question ${place}`);
    await button(page, "Send answer").click();
    await page.getByRole("heading", { name: "Result", exact: true }).waitFor();
    await look(`result ${place}`);
    await page.goto(`${page.url().split("#")[0]}#/run/breaks_${place}`);
    await button(page, "Run").click();
    await page.getByRole("heading", { name: "Error", exact: true }).waitFor();
    await look(`error ${place}`);
  }
  await page.goto(`${page.url().split("#")[0]}#/tasks`);
  await page.locator(".rows a").first().waitFor();
  await look("list");
  await page.goto(`${page.url().split("#")[0]}#/inbox`);
  const cards = page.getByRole("article"), many = given.payloads.length;
  await cards.first().waitFor();
  await button(page, "Load more").click();
  await cards.nth(many - 1).waitFor();
  await look("inbox");
  const texts = await cards.allInnerTexts();
  const marked = await page.locator(".hint", { hasText: "Filled in with characters that are not seen: [U+202E]pwned" }).count();
  const quotes = await page.locator("blockquote:not(blockquote blockquote)").count();
  const deepest = await page.locator("blockquote blockquote blockquote blockquote blockquote").count();
  for (const [place, name] of given.payloads.entries()) {
    await overtaken(page, name);
    await cards.first().getByRole("button", { name: "Decline" }).click();
    await page.locator(".timeline li").nth(place).waitFor();
  }
  await page.locator("summary", { hasText: "Decided in the last day" }).click();
  await page.locator(".past").nth(19).waitFor();
  await button(page, "Earlier ones").click();
  await page.locator(".past").nth(many - 1).waitFor();
  const past = await page.locator(".past").allInnerTexts();
  await look("over");
  const over = await page.locator(".timeline li", { hasText: "has decided this already" }).count();
  return { seen, marked, past: past.filter((text) => text.includes("pwned")).length, quotes, deepest, approvals: texts.length, shown: texts.filter((text) => text.includes("pwned")).length, over };
}

export async function pictured({ page, open, given }) {
  await open("#/run/profile_csv");
  for (const csv of ["port,arrivals\nHull,12\nLeith,7\n", "port,arrivals\nHull,12,3\n"]) {
    await page.goto(`${page.url().split("#")[0]}#/run/profile_csv`);
    await page.getByLabel("csv (optional)").fill(csv);
    await button(page, "Run").click();
    await page.locator("main h3", { hasText: /Result|wrong/ }).first().waitFor();
  }
  await page.goto(`${page.url().split("#")[0]}#/run/remind_me`);
  await page.getByLabel("after_seconds").fill("600");
  await page.getByLabel("about").fill("the tide tables");
  await button(page, "Run").click();
  await page.locator(".card .badge", { hasText: "Working" }).waitFor();
  await page.goto(`${page.url().split("#")[0]}#/run/publish_report`);
  await page.getByLabel("csv (optional)").fill("port,arrivals\nHull,12\nLeith,7\nWick,4\n");
  await button(page, "Run").click();
  await page.getByRole("heading", { name: "It asks you" }).waitFor();
  await page.getByLabel("Publish this report?").check();
  await page.getByLabel("Under which title?").blur();
  await page.screenshot({ path: given.picture });
}

export async function many({ page, context, open, shoot }) {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const value = (name) => metrics.find((each) => each.name === name).value;
    return { task: value("TaskDuration"), nodes: value("Nodes"), heap: value("JSHeapUsedSize") };
  };
  await open();
  const before = await spent();
  await page.locator(".rows a").first().waitFor();
  const first = await spent();
  const rows = await page.locator(".rows li").count();
  await button(page, "Load all").click();
  await page.getByText(/^10,000 tasks$/).waitFor({ timeout: 120_000 });
  const all = await spent();
  await shoot("many");
  await page.locator(".rows a").first().focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement.closest("li")?.getAttribute("aria-posinset") === "10000");
  const last = await page.evaluate(() => document.activeElement.innerText);
  await page.getByLabel("Filter by tool, note or id").fill("task 4711");
  await page.getByText(/^1 of 10,000 tasks$/).waitFor();
  const filtered = await spent();
  return { cpu: first.task, rows, drawn: await page.locator(".rows li").count(), last, all: all.task - first.task,
    filter: filtered.task - all.task, megabytes: all.heap / 1e6, nodes: all.nodes, before: before.task };
}
