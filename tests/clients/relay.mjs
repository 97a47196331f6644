// Walks a list with Relay's runtime and what its compiler made, and prints as JSON what it saw.
// Usage: node relay.mjs '{"address": ADDRESS, "artifacts": FOLDER}'
import { createRequire } from "node:module";
import relay from "relay-runtime";
import { complaints, recording } from "./recording.mjs";

const MOST_PAGES = 20;
const { address, artifacts } = JSON.parse(process.argv[2]);
const { Environment, Network, RecordSource, Store } = relay;
const { createOperationDescriptor, fetchQuery, getSingularSelector } = relay;
const complained = complaints();
const { asked, fetch } = recording();

const [query, pageQuery, fragment] = ["ordersOfUserQuery", "ordersPageQuery", "orders_user"].map(
  (name) => createRequire(import.meta.url)(`${artifacts}/${name}.graphql.js`),
);

const { identifierField, identifierQueryVariableName } = fragment.metadata.refetch.identifierInfo;

const headers = {
  accept: "application/graphql-response+json",
  "content-type": "application/json",
};
const environment = new Environment({
  network: Network.create(async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables });
    return (await fetch(address, { method: "POST", headers, body })).json();
  }),
  store: new Store(new RecordSource()),
  getDataID: ({ nodeId }) => nodeId,
});

const operation = createOperationDescriptor(query, { id: "u_001", count: 4 });
environment.retain(operation);
await fetchQuery(environment, query, { id: "u_001", count: 4 }).toPromise();
const { user } = environment.lookup(operation.fragment).data;
const selector = getSingularSelector(fragment, user);
const kept = () => environment.lookup(selector).data;

const lengths = [kept().orders.edges.length];
while (kept().orders.pageInfo.hasNextPage && lengths.length < MOST_PAGES) {
  const cursor = kept().orders.pageInfo.endCursor;
  const variables = { [identifierQueryVariableName]: kept()[identifierField], count: 4, cursor };
  await fetchQuery(environment, pageQuery, variables).toPromise();
  lengths.push(kept().orders.edges.length);
}

const records = environment.getStore().getSource().toJSON();
console.log(
  JSON.stringify({
    asked,
    lengths,
    name: user.name,
    ids: kept().orders.edges.map(({ node }) => node.id),
    users: Object.values(records).filter(({ __typename }) => __typename === "User").length,
    complained,
  }),
);
