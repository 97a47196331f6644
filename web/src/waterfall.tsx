import { bands, every, span, sum, unit } from "./explain";
import type { Action, Asked, Band, Explained, Planned, Sent } from "./explain";
import { amount, counted, milliseconds } from "./words";

/** Waves of requests that were sent, each with its bar in the time of the whole. */
export function Sendings({ explained }: { explained: Explained<Sent> }) {
  const whole = span(every(explained));
  return (
    <Waves explained={explained}>
      {(band) => (
        <>
          <Facts>
            {!band.first.actions && (
              <>
                <Fact name="read" value={amount(sum(band.requests, (one) => one.itemsRead))} />
                <Fact name="returned" value={amount(sum(band.requests, (one) => one.itemsReturned))} />
              </>
            )}
            <Fact
              name={unit(band.requests)}
              value={amount(sum(band.requests, (one) => one.capacity))}
            />
            <Fact name="" value={milliseconds(span(band.requests).end - span(band.requests).start)} />
            {band.requests.some((one) => one.retries) && (
              <Fact name="retries" value={amount(sum(band.requests, (one) => one.retries))} bad />
            )}
          </Facts>
          <Bars requests={band.requests} whole={whole} />
        </>
      )}
    </Waves>
  );
}

/** The same of a plan: what is expected at most, and no times. */
export function Plannings({ explained }: { explained: Explained<Planned> }) {
  return (
    <Waves explained={explained}>
      {(band) => (
        <Facts>
          {band.first.times > 1 && <Fact name="times" value={`≤ ${amount(band.first.times)}`} />}
          <Fact name="items" value={`≤ ${amount(sum(band.requests, (one) => one.itemsExpected))}`} />
          <Fact name="RCU" value={`≤ ${amount(sum(band.requests, (one) => one.capacityExpected))}`} />
        </Facts>
      )}
    </Waves>
  );
}

function Waves<Request extends Asked>({
  explained,
  children,
}: {
  explained: Explained<Request>;
  children: (band: Band<Request>) => React.ReactNode;
}) {
  return (
    <ol className="waves">
      {explained.waves.map((wave, at) => (
        <li key={at} className="wave">
          <h3>
            Wave {at + 1} <small>{counted(wave.requests.length, "request")}</small>
          </h3>
          {bands(wave.requests).map((band, place) => (
            <article key={place} className="request" data-failed={failed(band) || undefined}>
              <Title band={band} />
              {band.first.actions ? (
                <Actions actions={band.first.actions} />
              ) : (
                <Condition asked={band.first} />
              )}
              {band.requests.length > 1 && <Others band={band} />}
              <Serves paths={band.first.serves} />
              {children(band)}
              {failed(band) && <p className="failure">{failed(band)}</p>}
            </article>
          ))}
        </li>
      ))}
    </ol>
  );
}

function failed(band: Band<Asked>): string | undefined {
  return band.requests.map((one) => (one as Partial<Sent>).error).find(Boolean);
}

function Title({ band }: { band: Band<Asked> }) {
  const { first, requests } = band;
  return (
    <header>
      {requests.length > 1 && <span className="times">{requests.length} ×</span>}
      <strong data-operation={first.operation}>{first.operation}</strong>
      <span className="index">{first.index ?? "table"}</span>
      <span className="how">{how(first)}</span>
    </header>
  );
}

function how({ descending, limit, keys, actions }: Asked): string {
  const facts = [];
  if (actions) facts.push(counted(actions.length, "item"));
  if (keys) facts.push(counted(keys.length, "key"));
  if (descending) facts.push("descending");
  if (limit) facts.push(`limit ${limit}`);
  return facts.join(", ");
}

function Condition({ asked }: { asked: Asked }) {
  const { keyCondition, key, keys, filter } = asked;
  const shown = keyCondition ?? (key ?? keys?.[0])?.join(" / ");
  return (
    <code className="condition">
      {shown}
      {keys && keys.length > 1 && <span className="more"> and {keys.length - 1} more</span>}
      {filter && <span className="filter">filter {filter}</span>}
    </code>
  );
}

/** The items that a write touches, each with what it insists on. */
function Actions({ actions }: { actions: Action[] }) {
  return (
    <ul className="condition actions">
      {actions.map((one, at) => (
        <li key={at}>
          <code>
            {one.action} {one.key.join(" / ")}
            {one.update && <span className="update">{one.update}</span>}
            {one.condition && <span className="filter">if {one.condition}</span>}
          </code>
        </li>
      ))}
    </ul>
  );
}

/** Each request of a band, behind one line. */
function Others({ band }: { band: Band<Asked> }) {
  return (
    <details className="others">
      <summary>all {band.requests.length} requests</summary>
      <ul>
        {band.requests.map((one, at) => (
          <li key={at}>
            <code>{one.summary}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Serves({ paths }: { paths: string[] }) {
  return (
    <ul className="serves" aria-label={`Serves ${counted(paths.length, "field")}`}>
      {paths.map((path) => (
        <li key={path}>{path}</li>
      ))}
    </ul>
  );
}

function Facts({ children }: { children: React.ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

function Fact({ name, value, bad }: { name: string; value: string; bad?: boolean }) {
  return (
    <div data-bad={bad}>
      <dd>{value}</dd>
      {name && <dt>{name}</dt>}
    </div>
  );
}

function Bars({ requests, whole }: { requests: Sent[]; whole: { start: number; end: number } }) {
  const length = Math.max(whole.end - whole.start, 0.001);
  const part = (time: number) => `${(time / length) * 100}%`;
  return (
    <div className="bars" aria-hidden="true">
      {requests.map((one, at) => (
        <i
          key={at}
          style={{ left: part(one.startedAfter - whole.start), width: part(one.milliseconds) }}
        />
      ))}
    </div>
  );
}
