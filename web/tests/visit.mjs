// Visits the pages of two running gateways in Chromium and prints, as JSON, what it found there.
// Usage: node visit.mjs '{"shop": ADDRESS, "fund": ADDRESS, "shots": FOLDER, "chromium": PATH}'
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const LAPTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

const asked = JSON.parse(process.argv[2]);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const outside = [];
const complaints = [];

const browser = await chromium.launch({ executablePath: asked.chromium, args: FLAGS });

/** A page for somebody who was never here before. Nothing but the gateways can be reached. */
async function opened(address, { theme = "light", size = LAPTOP } = {}) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await context.route(
    (url) => ![asked.shop, asked.fund].some((one) => url.href.startsWith(new URL(one).origin)),
    (route) => {
      outside.push(route.request().url());
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(address);
  return page;
}

async function graphiql(address, options) {
  const page = await opened(`${address}/graphql`, options);
  await page.waitForSelector(".graphiql-query-editor .view-line");
  await page.waitForFunction(() => !document.querySelector(".graphiql-spin"));
  return page;
}

const tabs = (page) => page.locator(".graphiql-tab-button");
const tab = (page, name) => page.locator(`.graphiql-tab-button[title="${name}"]`);
const operation = (page) => text(page, ".graphiql-query-editor .view-lines");
const answer = (page) => text(page, ".result-window .view-lines");

/** Monaco draws its spaces as ones that do not break. */
async function text(page, selector) {
  return (await page.locator(selector).first().innerText()).replaceAll("\u00a0", " ");
}

async function run(page, name) {
  if (name) await tab(page, name).click();
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await page.waitForSelector(".result-window .view-line .mtk1, .result-window .view-line span");
  await page.waitForSelector(".summary");
}

/** What the Plan panel says. */
async function plan(page) {
  return page.locator(".plan").evaluate((panel) => ({
    headline: panel.querySelector(".headline")?.textContent,
    badge: panel.querySelector(".badge")?.textContent ?? null,
    totals: Object.fromEntries(
      [...panel.querySelectorAll(".totals > div")].map((total) => [
        total.querySelector("dt").textContent,
        total.querySelector("dd").textContent,
      ]),
    ),
    requests: [...panel.querySelectorAll(".request")].map((request) => ({
      title: request.querySelector("header").textContent,
      condition: request.querySelector(".condition").textContent,
      serves: [...request.querySelectorAll(".serves li")].map((field) => field.textContent),
      bars: request.querySelectorAll(".bars i").length,
    })),
  }));
}

const shot = (page, name) => page.screenshot({ path: `${asked.shots}/${name}.png` });

async function inGraphiql() {
  const page = await graphiql(asked.shop);
  const facts = { tabs: await tabs(page).allTextContents() };
  facts.firstVariables = await text(page, ".graphiql-editor-tool .view-lines");
  await run(page, "ProfileAndNewestOrders");
  facts.answer = await answer(page);
  facts.folded = await plan(page);
  await shot(page, "graphiql-laptop-light");
  await run(page, "OrderWithUserAndProducts");
  facts.waves = await plan(page);
  await run(page, "OrdersByStatus");
  facts.sharded = await plan(page);
  const asks = [];
  page.on("request", (request) => request.method() === "POST" && asks.push(request.postDataJSON()));
  await page.getByRole("button", { name: "Plan only", exact: true }).click();
  await page.waitForSelector(".badge");
  facts.planned = { ...(await plan(page)), asked: asks.map((one) => one.extensions) };
  await shot(page, "plan-only-laptop-light");
  await page.getByRole("button", { name: /^Prettify/ }).click();
  await page.getByRole("button", { name: "Show History" }).click();
  facts.history = await page.locator(".graphiql-history-item-label").allTextContents();
  await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
  await page.locator(".graphiql-doc-explorer").getByRole("link", { name: "Query", exact: true }).click();
  facts.documented = await page.getByRole("link", { name: "ordersByStatus", exact: true }).count();
  await page.close();
  return facts;
}

/** A mutation that is run twice meets what the first run left. */
async function writing() {
  const page = await graphiql(asked.shop);
  await run(page, "CreateAUser");
  const facts = { created: await answer(page), plan: await plan(page) };
  await shot(page, "graphiql-writes-laptop-light");
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await page.locator(".result-window .view-lines", { hasText: "errors" }).waitFor();
  facts.refused = await answer(page);
  await run(page, "PlaceAnOrder");
  facts.placed = await answer(page);
  await page.close();
  return facts;
}

/** A link that one person copies opens the same operation for another. */
async function sharing() {
  const page = await graphiql(asked.shop);
  await tab(page, "OrdersBetweenTwoDates").click();
  await page.getByRole("button", { name: /^Copy a link/ }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.close();
  const other = await opened(link);
  await other.waitForSelector(".graphiql-query-editor .view-line");
  const facts = {
    sent: new URL(link).search,
    tab: await other.locator(".graphiql-tab-active .graphiql-tab-button").textContent(),
    operation: await operation(other),
    variables: await text(other, ".graphiql-editor-tool .view-lines"),
  };
  await other.close();
  return facts;
}

async function byKeyboard() {
  const page = await graphiql(asked.shop);
  await page.locator(".graphiql-query-editor .monaco-editor").click();
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector(".summary");
  const facts = { ran: (await plan(page)).headline };
  await page.close();
  const table = await opened(`${asked.shop}/table`);
  await table.waitForSelector(".diagram");
  const focused = () => table.evaluate(() => document.activeElement?.textContent);
  for (let presses = 0; presses < 12 && (await focused()) !== "Order"; presses++)
    await table.keyboard.press("Tab");
  await table.keyboard.press("Enter");
  facts.opened = await focused();
  await table.keyboard.press("Escape");
  facts.closed = [await table.locator(".details").count(), await focused()];
  await table.close();
  return facts;
}

async function inTable(address) {
  const page = await opened(`${address}/table`);
  await page.waitForSelector(".diagram");
  const facts = await page.evaluate(() => ({
    entities: [...new Set([...document.querySelectorAll("tr[data-entity]")].map((row) => row.dataset.entity))],
    collections: [...document.querySelectorAll(".index")].map((index) => ({
      name: index.querySelector("h2").textContent,
      rows: [...index.querySelectorAll("tbody tr")].map((row) => [
        row.querySelector(".sort").textContent,
        row.dataset.entity,
      ]),
    })),
    conditions: Object.fromEntries(
      [...document.querySelectorAll(".pattern")].map((pattern) => [
        `${pattern.closest(".owner").getAttribute("aria-label")}.${pattern.querySelector(".field b").textContent}`,
        pattern.querySelector("code")?.textContent ?? null,
      ]),
    ),
  }));
  const last = facts.entities.at(-1);
  await page.locator(`[data-entity="${last}"] button`).first().click();
  facts.details = {
    entity: last,
    heading: await page.locator(".details h2").textContent(),
    keys: await page.locator(".details .keys li").count(),
    attributes: await page.locator(".details .fields tbody tr").count(),
    address: await page.evaluate(() => location.hash),
  };
  await page.close();
  return facts;
}

/** Pointing at a field lights up the places it reads. */
async function lighting() {
  const page = await opened(`${asked.shop}/table`);
  await page.waitForSelector(".diagram");
  const user = page.locator('.owner[aria-label="User"]');
  await user.locator(".pattern", { hasText: "orders" }).hover();
  const lit = await page.locator("tr[data-lit]").evaluateAll((rows) =>
    rows.map((row) => [row.dataset.entity, row.querySelector(".sort").textContent]),
  );
  await page.close();
  return lit;
}

/** Both pages in both themes and sizes: pictures to look at, and whether anything is cut off. */
async function looks() {
  const wide = [];
  const barred = [];
  for (const [size, viewport] of Object.entries({ laptop: LAPTOP, phone: PHONE })) {
    for (const theme of ["light", "dark"]) {
      for (const example of ["shop", "fund"]) {
        const table = await opened(`${asked[example]}/table`, { theme, size: viewport });
        await table.waitForSelector(".diagram");
        await shot(table, `table-${example}-${size}-${theme}`);
        if (await overflows(table)) wide.push(`table ${example} ${size}`);
        if (size === "laptop") barred.push(...(await barriers(table, "body")));
        await table.close();
      }
      const page = await graphiql(asked.fund, { theme, size: viewport });
      await run(page, "DocumentOverview");
      await shot(page, `graphiql-fund-${size}-${theme}`);
      if (size === "phone") {
        await page.locator(".summary").click();
        await shot(page, `plan-fund-${size}-${theme}`);
      }
      if (await overflows(page)) wide.push(`graphiql ${size}`);
      barred.push(...(await barriers(page, ".plan")));
      await page.close();
    }
  }
  return { wide, barred: [...new Set(barred)] };
}

/** What axe has against our parts of a page: contrast, names, roles, order. */
async function barriers(page, part) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((selector) => globalThis.axe.run(selector), part);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

function overflows(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}

const found = {
  sharing: await sharing(),
  graphiql: await inGraphiql(),
  keyboard: await byKeyboard(),
  writing: await writing(),
  tables: { shop: await inTable(asked.shop), fund: await inTable(asked.fund) },
  lighting: await lighting(),
  looks: await looks(),
};
await browser.close();
console.log(JSON.stringify({ ...found, outside, complaints }));
