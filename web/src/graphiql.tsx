import { ToolbarButton, useGraphiQL } from "@graphiql/react";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import { useState } from "react";
import { addressOf, keepInStep, shared } from "./address";
import { fetcher } from "./asking";
import "./graphiql.css";
import { LinkIcon, TableIcon } from "./icons";
import { draw } from "./page";
import { PLAN, Summary } from "./plan";
import { PlanOnlyTool, showPlan } from "./planning";
import { TABS, storageOf } from "./storage";

interface Page {
  table: string;
  picture: boolean;
  operations: { name: string; query: string; variables: string | null }[];
}

const PHONE = "(max-width: 720px)";
const plugins = [PLAN, HISTORY_PLUGIN];

function Explorer({ page }: { page: Page }) {
  const given = shared();
  const storage = storageOf(page.table);
  const tabs = [...(given ? [given] : []), ...page.operations];
  // What the editors begin with: GraphiQL takes it from the first tab only in part.
  const first = given ?? (storage.getItem(TABS) ? undefined : tabs[0]);
  return (
    <GraphiQL
      fetcher={fetcher}
      storage={storage}
      plugins={plugins}
      {...(matchMedia(PHONE).matches ? {} : { visiblePlugin: PLAN })}
      {...(tabs.length ? { defaultTabs: tabs } : {})}
      {...(first ? { initialQuery: first.query, initialVariables: first.variables ?? "" } : {})}
      defaultEditorToolsVisibility="variables"
      onTabChange={({ tabs, activeTabIndex }) => {
        const active = tabs[activeTabIndex];
        if (active) keepInStep(active.query ?? null, active.variables ?? null);
      }}
    >
      <GraphiQL.Logo>
        <PageName page={page} />
      </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, copy, merge }) => (
          <>
            <PlanOnlyTool />
            {prettify}
            {merge}
            {copy}
            <CopyLink />
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <Summary open={showPlan} />
      </GraphiQL.Footer>
    </GraphiQL>
  );
}

function PageName({ page }: { page: Page }) {
  return (
    <nav className="page-name" aria-label="Pages">
      <span>{page.table}</span>
      {page.picture && (
        <a href="./table">
          <TableIcon /> Table
        </a>
      )}
    </nav>
  );
}

function CopyLink() {
  const [copied, setCopied] = useState(false);
  const { queryEditor, variableEditor } = useGraphiQL((state) => state);
  const copy = async () => {
    const address = addressOf(queryEditor?.getValue() ?? "", variableEditor?.getValue() ?? "");
    history.replaceState(null, "", address);
    await navigator.clipboard?.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <ToolbarButton
      onClick={copy}
      label={copied ? "Copied" : "Copy a link to this operation and its variables"}
    >
      <LinkIcon />
    </ToolbarButton>
  );
}

// A link that is pasted over the page's own address changes no more than its end.
addEventListener("hashchange", () => location.reload());

await draw<Page>("page.json", (page) => {
  document.title = `${page.table} · GraphiQL`;
  return <Explorer page={page} />;
});
