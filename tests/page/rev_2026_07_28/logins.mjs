// Logins at an issuer whose authorization responses the test chooses.

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Signs in, and returns what came of it and what the tab still knows of the response. */
async function signIn(page) {
  await button(page, "Sign in").click();
  const done = page.getByText("There are no tasks yet."), refused = page.locator("#banner").filter({ hasText: /./ });
  await done.or(refused).first().waitFor();
  return (await refused.isVisible()) ? refused.innerText() : "signed in";
}

/** Signs in once for each response that the issuer has, and then has the last response come again. */
export async function signs_in({ page, context, open, given }) {
  const responses = [], sent = [];
  context.on("request", (request) => {
    sent.push(request.allHeaders().then((headers) => headers.referer));
    if (request.isNavigationRequest() && request.url().includes("state=") && request.url().includes("code=")) responses.push(request.url());
  });
  const seen = { says: [] };
  await open("#/tasks");
  for (let times = 0; times < given.times; times += 1) {
    if (times) await button(page, "Sign out").click();
    seen.says.push(await signIn(page));
  }
  seen.address = page.url();
  const { entries } = await (await context.newCDPSession(page)).send("Page.getNavigationHistory");
  seen.history = entries.map((each) => each.url);
  seen.kept = await page.evaluate(() => ({ ...sessionStorage, ...localStorage }));
  await page.goto(responses.at(-1));
  await page.getByText("This login was not begun here").waitFor();
  seen.again = page.url();
  seen.responses = responses.length;
  seen.referrers = (await Promise.all(sent)).filter((each) => each !== undefined);
  return seen;
}
