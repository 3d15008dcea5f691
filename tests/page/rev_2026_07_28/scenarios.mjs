// What people do with the console, as they would: by labels and roles, waiting for what they would see.

import { call, overtaken } from "./people.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const status = (page, text) => page.getByLabel("Task", { exact: true }).locator(".badge", { hasText: text }).waitFor();
const result = (page) => page.locator(".card", { has: page.getByRole("heading", { name: /^(Result|Data|What went wrong|Error)$/ }) });

async function run(page, tool, fields = {}) {
  await page.goto(`${page.url().split("#")[0]}#/run/${tool}`);
  await page.getByRole("heading", { name: "Run a tool" }).waitFor();
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
  await button(page, "Run").click();
}

export async function runs({ page, open, shoot }) {
  await open();
  await page.getByText("There are no tasks yet.").waitFor();
  await run(page, "count", { "to (optional)": "4", "pause (optional)": "0.6" });
  await status(page, "Working");
  await page.getByRole("progressbar").waitFor();
  await shoot("working");
  await status(page, "Completed");
  const first = page.url();
  const text = await result(page).innerText();
  const happened = await page.locator(".timeline li").allInnerTexts();
  const row = await page.getByRole("listitem").filter({ hasText: "Counted to 4." }).or(page.locator(".rows a")).first().innerText();
  await shoot("completed");
  const given = async () => [await page.getByLabel("to (optional)").inputValue(), await page.getByLabel("pause (optional)").inputValue()];
  await button(page, "Run again").click();
  await page.getByRole("heading", { name: "Run a tool" }).waitFor();
  const filled = await given();
  await button(page, "Run").click();
  await status(page, "Completed");
  const again = await result(page).innerText();
  const rows = await page.locator(".rows li").count();
  await page.goto(first);
  await page.reload();
  await button(page, "Run again").click();
  await page.getByText("What the task was given is known to the tab alone that began it").waitFor();
  const empty = await given();
  return { text, happened, row, filled, again, rows, empty };
}

export async function answers({ page, open, shoot }) {
  await open("#/run/book");
  await button(page, "Run").click();
  await status(page, "Needs input");
  await page.getByRole("heading", { name: "It asks you" }).waitFor();
  await button(page, "Send answer").click();
  await page.getByText("Fill this in.").first().waitFor();
  const wrong = await page.locator("[aria-invalid=true]").count();
  const focused = await page.evaluate(() => document.querySelector(`label[for="${document.activeElement.id}"]`)?.textContent);
  await shoot("form-with-errors");
  await page.getByLabel("Name", { exact: true }).fill("A");
  await page.getByLabel("Email", { exact: true }).fill("nobody");
  await page.getByLabel("Seats (optional)").fill("12");
  await button(page, "Send answer").click();
  const said = await page.locator(".wrong:visible").allInnerTexts();
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
  await page.getByLabel("Day", { exact: true }).fill("2026-12-24");
  await page.getByLabel("Seats (optional)").fill("2");
  await page.getByLabel("Highest price (optional)").fill("99.5");
  await page.getByLabel("Fare", { exact: true }).selectOption({ label: "Flexible" });
  await page.getByLabel("Vegan").check();
  await shoot("form");
  await button(page, "Send answer").click();
  await status(page, "Completed");
  await shoot("answered");
  const happened = await page.locator(".timeline li strong").allInnerTexts();
  return { wrong, focused, said, happened, data: JSON.parse(await result(page).locator("pre").innerText()) };
}

export async function declines({ page, open }) {
  await open("#/run/hold");
  await button(page, "Run").click();
  await button(page, "Decline").click();
  await status(page, "Completed");
  return { text: await result(page).innerText() };
}

export async function visits({ page, open, shoot }) {
  await open("#/run/visit");
  await button(page, "Run").click();
  const link = page.getByRole("link", { name: /sign\.example\.com/ });
  await link.waitFor();
  const found = await link.evaluate(({ href, rel, target, textContent }) => ({ href, rel, target, textContent }));
  await shoot("visit");
  await button(page, "I have done that").click();
  await status(page, "Completed");
  return { ...found, text: await result(page).innerText() };
}

export async function cancels({ page, open, shoot }) {
  await open("#/run/hold");
  await button(page, "Run").click();
  await status(page, "Needs input");
  await button(page, "Cancel task").click();
  await button(page, "Keep it").click();
  const kept = await button(page, "Cancel task").isVisible();
  await button(page, "Cancel task").click();
  await button(page, "Yes, cancel it").click();
  await status(page, "Cancelled");
  await shoot("cancelled");
  return { kept, form: await button(page, "Send answer").count(), again: await button(page, "Run again").count() };
}

export async function fails({ page, open, shoot }) {
  await open("#/run/fail");
  await button(page, "Run").click();
  await status(page, "Failed");
  const failed = await result(page).innerText();
  await run(page, "fail", { "with_code (optional)": "4711" });
  await status(page, "Failed");
  await page.getByText("The disk is gone.").first().waitFor();
  await shoot("failed");
  const error = await result(page).innerText();
  await page.goto(`${page.url().split("#")[0]}#/tasks/${"0".repeat(36)}`);
  await page.getByRole("heading", { name: "No such task" }).waitFor();
  return { failed, error };
}

export async function inline({ page, open, shoot }) {
  await open("#/run/add");
  await page.getByLabel("numbers").fill("[40, 2");
  await button(page, "Run").click();
  await page.getByText("Enter JSON.").waitFor();
  await page.getByLabel("numbers").fill("[40, 2]");
  await button(page, "Run").click();
  const sum = JSON.parse(await result(page).locator("pre").innerText());
  await shoot("inline");
  await run(page, "delete", { name: "tides.csv" });
  await page.getByText("Delete tides.csv?").waitFor();
  const harms = await page.getByText("may change or delete data").isVisible();
  await page.getByLabel("Yes, I am sure").check();
  await button(page, "Send answer").click();
  await page.getByText("tides.csv is deleted.").waitFor();
  return { sum, harms };
}

export async function shows({ page, open, shoot }) {
  await open("#/run/gallery");
  await button(page, "Run").click();
  await status(page, "Completed");
  const text = await result(page).innerText();
  const image = await page.locator("main img").evaluate((each) => each.decode().then(() => each.naturalWidth));
  await shoot("result");
  return { text, image, link: await page.getByRole("link", { name: /example\.com/ }).getAttribute("href") };
}

export async function filters({ page, open }) {
  await open();
  for (const tool of ["gallery", "hold", "fail"]) {
    await run(page, tool);
    await status(page, tool === "hold" ? "Needs input" : tool === "fail" ? "Failed" : "Completed");
  }
  const rows = () => page.locator(".rows .name").allInnerTexts();
  const all = await rows();
  await page.getByLabel("Status", { exact: true }).selectOption({ label: "Failed" });
  const failed = await rows();
  await page.getByLabel("Status", { exact: true }).selectOption({ label: "Not ended" });
  const active = await rows();
  await page.getByLabel("Status", { exact: true }).selectOption({ label: "Any status" });
  await page.getByLabel("Filter by tool, note or id").fill("everything");
  const found = await rows();
  await page.getByLabel("Filter by tool, note or id").fill("no such thing");
  await page.getByText("No task fits.").waitFor();
  return { all, failed, active, found };
}

export async function follows({ page, context, open }) {
  // Another tab begins a task and answers it: the list of this one changes by itself.
  await open();
  await page.getByText("There are no tasks yet.").waitFor();
  const other = await context.newPage();
  await other.goto(`${page.url()}#/run/hold`);
  await button(other, "Run").click();
  await button(other, "Send answer").waitFor();
  await page.bringToFront();
  await page.locator(".rows .badge", { hasText: "Needs input" }).waitFor();
  await other.bringToFront();
  await button(other, "Send answer").click();
  await page.bringToFront();
  await page.locator(".rows .badge", { hasText: "Completed" }).waitFor();
  return { rows: await page.locator(".rows .name").allInnerTexts() };
}

export async function decides({ page, open, shoot }) {
  await open("#/inbox");
  const cards = page.getByRole("article"), about = (text) => cards.filter({ hasText: text });
  await cards.first().waitFor();
  const first = await cards.first().innerText();
  const tags = await cards.first().locator(".md > *").evaluateAll((all) => all.map((each) => each.localName));
  const quote = await cards.first().locator(".md > blockquote").evaluate((each) => [...each.children].map((one) => one.localName + ": " + one.textContent));
  const count = () => page.locator("#waiting:visible").innerText();
  const before = await count();
  await shoot("inbox");
  const { approvals: [{ id }] } = await call(page, "grace", "approval_list", {});
  await call(page, "grace", "approval_decide", { id, action: "accept", content: {} });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await about("1,200").getByText("1 of 3 approvals").waitFor();
  const soFar = await about("1,200").getByLabel("Approvals so far").innerText();
  await about("1,200").getByLabel("Reason (optional)").fill("It fits.");
  await about("1,200").getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved: Pay 1,200 EUR?").waitFor();
  await about("80 EUR").getByRole("button", { name: "Decline" }).click();
  await page.getByText("Declined: Pay 80 EUR?").waitFor();
  await overtaken(page, "grace");
  await about("75 EUR").getByRole("button", { name: "Approve" }).click();
  await page.getByText("Over: Pay 75 EUR? grace has decided this already").waitFor();
  const heard = await page.locator("#told").innerText();
  const past = page.locator("details", { hasText: "Decided in the last day" });
  await past.locator("summary").click();
  await past.locator("li").nth(1).waitFor();
  const lately = await past.locator(".past").evaluateAll((all) => all.map((each) => each.innerText.replace(/\s+/g, " ")));
  await shoot("inbox-over");
  await page.unrouteAll({ behavior: "wait" });
  const left = await cards.count();
  await cards.last().getByRole("button", { name: "Not now" }).click();
  await page.waitForFunction((many) => document.querySelectorAll("article").length < many, left);
  const quiet = await cards.count();
  await page.reload();
  await cards.first().waitFor();
  return { first, tags, quote, soFar, lately, before, left, quiet, heard, after: await cards.count() };
}

export async function logs_in({ page, open, shoot }) {
  await open("#/tasks");
  await button(page, "Sign in").waitFor();
  await shoot("login");
  await button(page, "Sign in").click();
  await page.getByText("There are no tasks yet.").waitFor();
  const kept = await page.evaluate(() => ({ ...sessionStorage, ...localStorage, cookie: document.cookie }));
  const url = page.url();
  await run(page, "count");
  await status(page, "Completed");
  await button(page, "Sign out").click();
  await button(page, "Sign in").waitFor();
  await button(page, "Sign in").click();
  await page.locator(".rows .name").first().waitFor();
  await page.reload();
  await button(page, "Sign in").waitFor();
  await page.goto(`${page.url().split("#")[0]}?code=stolen&state=foreign`);
  await page.getByText("This login was not begun here").waitFor();
  return { kept, url, after: page.url() };
}

export async function takes_a_token({ page, open, given }) {
  await open();
  await page.getByText("Login is not set up for this stage").waitFor();
  await page.getByLabel("Access token").fill("nonsense");
  await button(page, "Use this token").click();
  await page.getByText("This token is not accepted").waitFor();
  await page.getByLabel("Access token").fill(given.token);
  await button(page, "Use this token").click();
  await page.getByText("There are no tasks yet.").waitFor();
  return page.evaluate(() => ({ ...sessionStorage, ...localStorage, url: location.href }));
}

export async function keyboard({ page, open }) {
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const at = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.value);
  const reach = async (text) => {
    for (let tabs = 0; tabs < 40; tabs += 1) {
      await press("Tab");
      const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      if (ring === "none") throw new Error(`no ring around ${await at()}`);
      if ((await at()) === text) return;
    }
    throw new Error(`${text} is not reached`);
  };
  await open();
  await page.getByText("There are no tasks yet.").waitFor();
  await press("Tab");
  const skip = await at();
  await reach("Run a tool");
  await press("Enter");
  await page.getByRole("heading", { name: "Run a tool" }).waitFor();
  const title = await at();
  await press("Tab");
  await page.keyboard.type("Wait");
  await page.getByText("Ask, and stay.").waitFor();
  await reach("Run");
  await press("Enter");
  await page.getByRole("heading", { name: "It asks you" }).waitFor();
  await reach("on");
  await press("Space");
  await reach("Send answer");
  await press("Enter");
  await status(page, "Completed");
  const after = await at();
  await reach("Run again");
  await press("Enter");
  await page.getByRole("heading", { name: "Run a tool" }).waitFor();
  await reach("Run");
  await press("Enter");
  await status(page, "Needs input");
  await press("Shift+Tab", "Shift+Tab", "Shift+Tab");
  await page.locator(".rows a").first().focus();
  await press("ArrowDown");
  const row = await at();
  await press("Home", "End", "Enter");
  await status(page, "Completed");
  return { skip, title, after, row, heard: await page.locator("#told").innerText() };
}

export async function approves({ page, open, shoot, given }) {
  const enter = async (name) => {
    await open();
    await page.getByLabel("Access token").fill(given[name]);
    await button(page, "Use this token").click();
    await page.getByRole("link", { name: /Inbox/ }).click();
  };
  const cards = page.getByRole("article");
  await enter("ada");
  await page.getByText("Nothing waits for you.").waitFor();
  const nothing = { to_ada: await page.locator(".nothing:visible").innerText(), approvals_of_ada: await cards.count() };
  await shoot("inbox-of-ada");
  await enter("grace");
  await cards.first().waitFor();
  const asked = await cards.first().innerText();
  await shoot("inbox-of-grace");
  await cards.first().getByLabel("How much is paid back?").fill(given.amount);
  await cards.first().getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved: Refund order A7?").waitFor();
  await enter("ada");
  await page.getByRole("link", { name: "Tasks" }).click();
  await page.locator(`.rows a[href$="${given.task}"]`).click();
  await status(page, "Completed");
  return { ...nothing, to_grace: asked, result: await result(page).innerText() };
}

/** Opens the console, and a task, each while the server has no capacity at first. */
export async function comes_again({ page, open, given }) {
  const told = [];
  let left = given.times;
  await page.route("**/mcp", async (route) => {
    if (!left) return route.continue();
    left -= 1;
    const { id } = route.request().postDataJSON();
    const headers = { "content-type": "application/json", "retry-after": "1" };
    return route.fulfill({ status: 503, headers, body: JSON.stringify({ jsonrpc: "2.0", id, error: given.error }) });
  });
  const toldThenServed = async (shown) => {
    await page.locator("#banner").filter({ hasText: "Trying again." }).waitFor();
    told.push(await page.locator("#banner").innerText());
    await shown.waitFor();
    await page.locator("#banner").waitFor({ state: "hidden" });
  };
  await open("#/run/count");
  await toldThenServed(button(page, "Run"));
  await button(page, "Run").click();
  await page.locator(".card .badge").filter({ hasText: "Completed" }).waitFor();
  left = given.times;
  await page.reload();
  await toldThenServed(page.locator(".card .badge").filter({ hasText: "Completed" }));
  return told;
}

/** Follows a task of which the server says to come back in half a minute, and then one of which the list alone tells. */
export async function keeps_up({ page, open }) {
  const note = page.getByLabel("Task", { exact: true }).locator("p.text");
  const moves = async () => {
    const before = await note.innerText(), began = Date.now();
    await page.waitForFunction(([pane, text]) => document.querySelector(pane).innerText !== text, ["[aria-label=Task] p.text", before]);
    return Date.now() - began;
  };
  let answers = true;
  await open();
  await page.route("**/mcp", async (route) => {
    const asked = route.request().postDataJSON();
    if (asked && asked.method === "tasks/get") {
      if (!answers) return;
      const reply = await route.fetch(), text = await reply.text();
      await route.fulfill({ response: reply, body: text.replace(/"pollIntervalMs": ?\d+/, '"pollIntervalMs":30000') });
    } else await route.continue();
  });
  await run(page, "count", { "to (optional)": "200", "pause (optional)": "0.4" });
  await status(page, "Working");
  await note.waitFor();
  const polled = [await moves(), await moves(), await moves()];
  answers = false;
  await moves();
  const listed = [await moves(), await moves()];
  return { polled, listed };
}
