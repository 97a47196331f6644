// Walks a list with Relay's runtime and what its compiler made, and prints as JSON what it saw.
// Usage: node relay.mjs '{"address": ADDRESS, "sparse": ADDRESS, "artifacts": FOLDER}'
import { createRequire } from "node:module";
import relay from "relay-runtime";
import { complaints, recording } from "./recording.mjs";

const MOST_PAGES = 20;
const { address, sparse, artifacts } = JSON.parse(process.argv[2]);
const { Environment, Network, RecordSource, Store } = relay;
const { createOperationDescriptor, fetchQuery, getSingularSelector } = relay;
const complained = complaints();

const [query, pageQuery, fragment] = ["ordersOfUserQuery", "ordersPageQuery", "orders_user"].map(
  (name) => createRequire(import.meta.url)(`${artifacts}/${name}.graphql.js`),
);

const { identifierField, identifierQueryVariableName } = fragment.metadata.refetch.identifierInfo;

const headers = {
  accept: "application/graphql-response+json",
  "content-type": "application/json",
};
const opened = (address, fetch) =>
  new Environment({
    network: Network.create(async ({ text }, variables) => {
      const body = JSON.stringify({ query: text, variables });
      return (await fetch(address, { method: "POST", headers, body })).json();
    }),
    store: new Store(new RecordSource()),
    getDataID: ({ nodeId }) => nodeId,
  });

async function walked({ at = address, where } = {}) {
  const { asked, fetch } = recording();
  const environment = opened(at, fetch);
  const wanted = { id: "u_001", count: 4, where };
  const operation = createOperationDescriptor(query, wanted);
  environment.retain(operation);
  await fetchQuery(environment, query, wanted).toPromise();
  const { user } = environment.lookup(operation.fragment).data;
  const kept = () => environment.lookup(getSingularSelector(fragment, user)).data;

  const lengths = [kept().orders.edges.length];
  while (kept().orders.pageInfo.hasNextPage && lengths.length < MOST_PAGES) {
    const { [identifierField]: id, orders } = kept();
    const page = { count: 4, cursor: orders.pageInfo.endCursor, where };
    const further = { [identifierQueryVariableName]: id, ...page };
    await fetchQuery(environment, pageQuery, further).toPromise();
    lengths.push(kept().orders.edges.length);
  }
  const records = Object.values(environment.getStore().getSource().toJSON());
  return {
    asked,
    lengths,
    name: user.name,
    ids: kept().orders.edges.map(({ node }) => node.id),
    users: records.filter(({ __typename }) => __typename === "User").length,
  };
}

const saw = {
  walked: await walked(),
  // Pages there end before they are full, and some are empty.
  filtered: await walked({ at: sparse, where: { status: { eq: "CANCELLED" } } }),
};
console.log(JSON.stringify({ ...saw, complained }));
