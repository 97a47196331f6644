import { ToolbarButton, useGraphiQL } from "@graphiql/react";
import { plan } from "./asking";
import { DryRunIcon } from "./icons";

const LABEL = "Plan only: show what would be asked, without asking it";

function usePlanning(): () => Promise<void> {
  const { queryEditor, variableEditor, headerEditor, operationName } = useGraphiQL((state) => state);
  return async () => {
    showPlan();
    await plan(
      {
        query: queryEditor?.getValue() ?? "",
        variables: parsed(variableEditor?.getValue()),
        operationName: operationName ?? null,
      },
      parsed(headerEditor?.getValue()) as Record<string, string> | undefined,
    );
  };
}

/** By its own button: GraphiQL opens a pane that was closed only when that is pressed. */
export function showPlan(): void {
  document.querySelector<HTMLElement>('button[aria-label="Show Plan"]')?.click();
}

/** Nothing for what is no JSON yet; the editor marks it already. */
function parsed(text: string | undefined): object | undefined {
  try {
    return text?.trim() ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

export function PlanOnly() {
  const planOnly = usePlanning();
  return (
    <button type="button" className="plan-only" onClick={planOnly}>
      Plan only
    </button>
  );
}

export function PlanOnlyTool() {
  const planOnly = usePlanning();
  return (
    <ToolbarButton onClick={planOnly} label={LABEL}>
      <DryRunIcon />
    </ToolbarButton>
  );
}
