import type { GraphiQLPlugin } from "@graphiql/react";
import { every, fieldsServed, span, sum, unit } from "./explain";
import type { Explained, Planned, Sent } from "./explain";
import { PlanIcon } from "./icons";
import { PlanOnly } from "./planning";
import { useLastRun } from "./runs";
import type { Run } from "./runs";
import { Plannings, Sendings } from "./waterfall";
import { amount, counted, milliseconds, named } from "./words";
import "./plan.css";

export const PLAN: GraphiQLPlugin = { title: "Plan", icon: PlanIcon, content: Panel };

function Panel() {
  const run = useLastRun();
  return (
    <section className="plan" aria-label="Plan" aria-live="polite">
      <header className="plan-head">
        <h2>Plan</h2>
        <PlanOnly />
      </header>
      <Shown run={run} />
    </section>
  );
}

function Shown({ run }: { run: Run }) {
  switch (run.state) {
    case "none":
      return (
        <p className="hint">
          Run an operation to see what it asks of the table: which requests, in which waves, for
          which fields, and what they cost. <b>Plan only</b> tells the same beforehand.
        </p>
      );
    case "waiting":
      return <p className="hint">Asking …</p>;
    case "refused":
      return <Refused errors={run.errors} />;
    case "ran":
      return <Ran explained={run.explained} />;
    case "planned":
      return <Prepared explained={run.explained} />;
  }
}

function Refused({ errors }: { errors: string[] }) {
  return (
    <div className="refused">
      <p className="headline">Refused before any request.</p>
      <ul>
        {errors.map((error, at) => (
          <li key={at}>{error}</li>
        ))}
      </ul>
    </div>
  );
}

function Ran({ explained }: { explained: Explained<Sent> }) {
  const sent = every(explained);
  if (!sent.length) return <p className="hint">This operation asked nothing of the table.</p>;
  const { start, end } = span(sent);
  return (
    <>
      <Headline fields={fieldsServed(sent)} requests={counted(explained.requests, "request")} />
      <Totals>
        <Total name={named(explained.requests, "request")} value={amount(explained.requests)} />
        <Total name={named(explained.waves.length, "wave")} value={amount(explained.waves.length)} />
        <Total name="items read" value={amount(sum(sent, (one) => one.itemsRead))} />
        <Total name="returned" value={amount(sum(sent, (one) => one.itemsReturned))} />
        <Total name={unit(sent)} value={amount(explained.capacity)} />
        <Total name="total" value={milliseconds(end - start)} />
      </Totals>
      <Sendings explained={explained} />
    </>
  );
}

function Prepared({ explained }: { explained: Explained<Planned> }) {
  const planned = every(explained);
  return (
    <>
      <p className="badge">Planned only: nothing was read.</p>
      {explained.errors?.map((error) => (
        <p key={error} className="failure">
          {error}
        </p>
      ))}
      <Headline
        fields={fieldsServed(planned)}
        requests={`At most ${counted(explained.requests, "request")}`}
      />
      <Totals>
        <Total
          name={named(explained.requests, "request")}
          value={`≤ ${amount(explained.requests)}`}
        />
        <Total name={named(explained.waves.length, "wave")} value={amount(explained.waves.length)} />
        <Total name="items" value={`≤ ${amount(sum(planned, (one) => one.itemsExpected))}`} />
        <Total name="RCU" value={`≤ ${amount(explained.capacity)}`} />
      </Totals>
      <Plannings explained={explained} />
    </>
  );
}

function Headline({ fields, requests }: { fields: string[]; requests: string }) {
  return (
    <p className="headline">
      <b>{requests}</b> for <b>{counted(fields.length, "field")}</b>
    </p>
  );
}

function Totals({ children }: { children: React.ReactNode }) {
  return <dl className="totals">{children}</dl>;
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** One line under the response, for when the panel is closed. */
export function Summary({ open }: { open: () => void }) {
  const run = useLastRun();
  if (run.state !== "ran") return null;
  const sent = every(run.explained);
  const time = sent.length ? span(sent) : { start: 0, end: 0 };
  return (
    <button type="button" className="summary" onClick={open}>
      <b>{counted(run.explained.requests, "request")}</b>
      <span>{counted(sum(sent, (one) => one.itemsRead), "item")} read</span>
      <span>
        {amount(run.explained.capacity)} {unit(sent)}
      </span>
      <span>{milliseconds(time.end - time.start)}</span>
    </button>
  );
}
