// The console as whoever has a link to one approval opens it, who is nobody in particular otherwise.

/** Decides by a link, opens it once more, and opens one that is no link of this server. */
export async function by_link({ page, open, shoot, given }) {
  await open(given.link);
  const card = page.getByRole("article");
  await card.waitFor();
  const seen = { address: page.url(), text: await card.innerText(), cards: await card.count() };
  for (const each of ["to-tasks", "to-run", "to-inbox"]) seen[each] = await page.locator("#" + each).isVisible();
  await shoot("link");
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved: ").waitFor();
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/mcp") && asked.push(request.postDataJSON().params.name));
  await open(given.link);
  await page.locator("#banner").filter({ hasText: "has decided this already" }).waitFor();
  seen.late = await page.locator("#banner").innerText();
  // What is repeated at all is repeated within ten seconds.
  await page.waitForTimeout(11_000);
  seen.asked = [...asked];
  // Put into the address of the tab that is open, where no page is loaded by itself.
  await page.evaluate((hash) => location.assign(hash), given.forged);
  await page.getByText("This link is over").waitFor();
  seen.forged = await page.locator("#banner").innerText();
  seen.login = await page.getByRole("heading", { name: "Sign in" }).isVisible();
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
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await shoot("link-over");
  return { says: await page.locator("#banner").innerText(), approvals: await page.getByRole("article").count() };
}
