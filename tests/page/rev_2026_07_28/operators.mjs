// What operators see of the tenants, and nobody else.

import { call } from "./people.mjs";

/** Opens the tenants, follows them while one begins tasks, and reads all pages. */
export async function operates({ page, open, shoot, given }) {
  await open("#/tenants");
  const cards = page.locator("main li.card"), of = (name) => cards.filter({ has: page.getByRole("heading", { name, exact: true }) });
  await cards.first().waitFor();
  const first = await cards.count();
  await page.getByRole("button", { name: "Load more" }).click();
  await of("local").waitFor();
  const before = await of("local").innerText();
  await call(page, "ada", "count", { to: 1 }, { extensions: { "io.modelcontextprotocol/tasks": {} } });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await of("local").getByText("2 of 20").waitFor();
  await of("local").scrollIntoViewIfNeeded();
  await shoot("tenants");
  const names = await cards.locator("h3").allInnerTexts();
  const tabs = await page.getByRole("navigation").getByRole("link").allInnerTexts();
  const marks = await of(given.suspended).locator(".badge").allInnerTexts();
  const suspects = await page.evaluate(() => document.querySelectorAll("main img, main script, main svg, main iframe").length);
  await page.getByRole("link", { name: "Tasks" }).click();
  await page.locator(".rows a").first().click();
  await page.getByText("For operators").waitFor();
  const links = await page.locator("main .facts a").evaluateAll((all) => all.map((each) => each.href));
  await shoot("links");
  return { task: page.url().split("/").pop(), links, before, first, names, tabs, marks, suspects };
}

/** Signs in at the tasks, at the tenants, and again after a reload of each. */
export async function operates_again({ page, open }) {
  const navigation = page.getByRole("navigation"), seen = { tabs: [], urls: [] };
  const tasks = page.getByText("There are no tasks yet."), tenants = page.locator("main li.card").first();
  const signIn = async (shown) => {
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await shown.waitFor();
    seen.tabs.push(await navigation.getByRole("link").allInnerTexts());
    seen.urls.push(page.url());
  };
  await open("#/tasks");
  await signIn(tasks);
  await open("#/tenants");
  await signIn(tenants);
  await page.reload();
  await signIn(tenants);
  await navigation.getByRole("link", { name: "Tasks" }).click();
  await page.reload();
  await signIn(tasks);
  return seen;
}

/** Opens the view as somebody who is no operator: it is the list of tasks. */
export async function operates_not({ page, open }) {
  await open("#/tenants");
  await page.locator(".rows a").first().waitFor();
  await page.locator(".rows a").first().click();
  await page.locator("main .badge", { hasText: "Working" }).first().waitFor();
  await page.waitForLoadState("networkidle");
  return { links: await page.locator("main .facts a").count(), tabs: await page.getByRole("navigation").getByRole("link").allInnerTexts() };
}
