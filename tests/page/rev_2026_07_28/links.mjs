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
  await open(given.link);
  await page.locator("#banner").filter({ hasText: "has decided this already" }).waitFor();
  seen.late = await page.locator("#banner").innerText();
  await open(given.forged);
  await page.getByText("This link is over").waitFor();
  seen.forged = await page.locator("#banner").innerText();
  seen.login = await page.getByRole("heading", { name: "Sign in" }).isVisible();
  return seen;
}
