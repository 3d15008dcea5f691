// The console as whoever has a link to one approval opens it, who is nobody in particular otherwise.

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Returns what is asked of the server from here on, by the names of tools. */
function asking(page) {
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/mcp") && asked.push(request.postDataJSON().params.name));
  return asked;
}

/** Returns the addresses to which the tab can go back; which one was opened, a browser keeps for itself all the same. */
async function addresses(context, page) {
  const { entries } = await (await context.newCDPSession(page)).send("Page.getNavigationHistory");
  return entries.map((each) => each.url);
}

/** Decides by a link, opens it once more, and opens one that is no link of this server. */
export async function by_link({ page, context, open, shoot, given }) {
  await open(given.link);
  await button(page, "Open").click();
  const card = page.getByRole("article");
  await card.waitFor();
  const seen = { address: page.url(), text: await card.innerText(), cards: await card.count() };
  for (const each of ["to-tasks", "to-run", "to-inbox"]) seen[each] = await page.locator("#" + each).isVisible();
  await shoot("link");
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved: ").waitFor();
  const asked = asking(page);
  await open(given.link);
  await page.locator("#banner").filter({ hasText: "has decided this already" }).waitFor();
  seen.late = await page.locator("#banner").innerText();
  // What is repeated at all is repeated within ten seconds.
  await page.waitForTimeout(11_000);
  seen.asked = [...asked];
  // Put into the address of the tab that is open, where no page is loaded by itself.
  await page.evaluate((hash) => location.assign(hash), given.forged);
  await button(page, "Open").click();
  await page.getByText("This link is over").waitFor();
  seen.forged = await page.locator("#banner").innerText();
  seen.login = await page.getByRole("heading", { name: "Sign in" }).isVisible();
  seen.history = await addresses(context, page);
  return seen;
}

/** Opens links without a secret: one to what waits beyond the first page, and one to what nobody asks. */
export async function led_to({ page, open, shoot, given }) {
  await open(given.link);
  const focused = page.locator("article h3:focus");
  await focused.waitFor();
  const seen = { text: await page.getByRole("article").filter({ has: page.locator("h3:focus") }).innerText() };
  await shoot("led-to");
  await open(given.unknown);
  await page.getByRole("alert").filter({ hasText: "waits for you" }).waitFor();
  seen.unknown = await page.getByRole("alert").filter({ hasText: "waits for you" }).innerText();
  seen.cards = await page.getByRole("article").count();
  return seen;
}

/** Opens a link that is over. */
export async function over({ page, open, shoot, given }) {
  await open(given.link);
  await button(page, "Open").click();
  await page.locator("#banner").filter({ hasText: "This link is over" }).waitFor();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await shoot("link-over");
  return { says: await page.locator("#banner").innerText(), approvals: await page.getByRole("article").count() };
}

/** Opens a link as programs that look through mails do, as a person does in one tab, and then in another one. */
export async function exchanged({ page, context, open, shoot, given }) {
  const asked = asking(page), sent = [];
  context.on("request", (request) => sent.push(request.allHeaders().then((headers) => headers.referer)));
  await open(given.link);
  await button(page, "Open").waitFor();
  await shoot("link-closed");
  const seen = { unasked: [...asked], address: page.url() };
  await page.reload();
  await button(page, "Open").dblclick();
  await page.getByRole("article").waitFor();
  await page.reload();
  await page.getByRole("article").waitFor();
  seen.asked = [...asked];
  seen.history = await addresses(context, page);
  seen.credential = JSON.parse(await page.evaluate(() => sessionStorage.getItem("mcp-console-link"))).access;
  seen.cookie = await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage }));
  const other = await context.newPage(), base = page.url().split("#")[0];
  await other.goto(base + given.link);
  await button(other, "Open").click();
  await other.getByText("This link was opened before.").waitFor();
  seen.offers = await other.getByRole("heading", { name: "Sign in" }).isVisible();
  seen.articles = await other.getByRole("article").count();
  await shoot("link-used", other);
  await button(other, "Send a new notice").click();
  seen.notice = await other.getByRole("status").filter({ hasText: "told again" }).innerText();
  seen.other = await addresses(context, other);
  await button(page, "Approve").click();
  await page.getByText("Approved: ").waitFor();
  seen.referrers = (await Promise.all(sent)).filter((each) => each !== undefined);
  return seen;
}

/** Opens a link whose answer is lost after the server has kept that it was used, and tries again. */
export async function answer_lost({ page, open, given }) {
  let lost = 0;
  await page.route("**/mcp", async (route) => {
    if (route.request().postDataJSON().params.name !== "approval_open" || lost) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort();
  });
  await open(given.link);
  await button(page, "Open").click();
  await page.getByText("The server cannot be reached.").waitFor();
  await page.reload();
  await button(page, "Open").click();
  await page.getByRole("article").waitFor();
  return { lost, cards: await page.getByRole("article").count() };
}
