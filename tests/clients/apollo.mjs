// Uses Apollo Client against a running shop, and prints as JSON what it saw.
// Usage: node apollo.mjs '{"address": ADDRESS, "sparse": ADDRESS}'
import { createHash } from "node:crypto";
import {
  ApolloClient,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
  gql,
} from "@apollo/client/core";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { relayStylePagination } from "@apollo/client/utilities";
import { filter, firstValueFrom } from "rxjs";
import { complaints, recording } from "./recording.mjs";

const MOST_PAGES = 20;
const { address, sparse } = JSON.parse(process.argv[2]);
const complained = complaints();

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

const PROFILE = gql`
  query Profile($id: ID!) {
    user(id: $id) {
      nodeId
      name
      addresses {
        nodeId
        city
      }
    }
  }
`;

const ORDERS = gql`
  query Orders($id: ID!, $first: Int!, $after: String, $where: UserOrdersFilter) {
    user(id: $id) {
      nodeId
      name
      orders(first: $first, after: $after, where: $where) {
        edges {
          cursor
          node {
            nodeId
            id
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`;

const NODE = gql`
  query Node($nodeId: ID!) {
    node(nodeId: $nodeId) {
      ...Known
      ... on User {
        email
      }
    }
  }
  fragment Known on Node {
    nodeId
  }
`;

const newCache = () =>
  new InMemoryCache({
    possibleTypes: { Node: ["Address", "Order", "OrderItem", "Product", "Shipment", "User"] },
    dataIdFromObject: ({ __typename, nodeId }) => nodeId && `${__typename}:${nodeId}`,
    typePolicies: {
      User: {
        fields: { orders: relayStylePagination(["placedOn", "id", "where", "direction"]) },
      },
    },
  });

function opened({ at = address, before } = {}) {
  const { asked, fetch } = recording();
  const http = new HttpLink({ uri: at, fetch });
  const link = before?.concat(http) ?? http;
  return { asked, client: new ApolloClient({ link, cache: newCache() }) };
}

async function cached() {
  const { asked, client } = opened();
  const ask = () => client.query({ query: PROFILE, variables: { id: "u_001" } });
  const [first, second] = [await ask(), await ask()];
  const { data } = await client.query({ query: NODE, variables: { nodeId: first.data.user.nodeId } });
  const kept = Object.values(client.cache.extract());
  return {
    asked,
    first: first.data,
    same: first.data === second.data,
    node: data.node,
    kept: kept.map((one) => one.__typename).sort(),
    users: kept.filter((one) => one.__typename === "User"),
  };
}

async function walked({ at = address, where } = {}) {
  const { asked, client } = opened({ at });
  const variables = { id: "u_001", first: 4, where };
  const watched = client.watchQuery({ query: ORDERS, variables });
  const arrived = (wanted) => firstValueFrom(watched.pipe(filter(({ data }) => data && wanted(data))));
  const kept = () => client.readQuery({ query: ORDERS, variables }).user.orders;
  const subscription = watched.subscribe(() => {});
  await arrived(() => true);
  const lengths = [kept().edges.length];
  while (kept().pageInfo.hasNextPage && lengths.length < MOST_PAGES) {
    await watched.fetchMore({ variables: { after: kept().pageInfo.endCursor } });
    lengths.push(kept().edges.length);
  }
  const { data } = await arrived(({ user }) => user.orders.edges.length === lengths.at(-1));
  subscription.unsubscribe();
  return { asked, lengths, ids: data.user.orders.edges.map(({ node }) => node.id) };
}

async function failed() {
  const { client } = opened();
  const variables = { id: "u_001", first: 4, after: "altered" };
  const thrown = await client.query({ query: ORDERS, variables }).catch((error) => error);
  const partial = await client.query({ query: ORDERS, variables, errorPolicy: "all" });
  return {
    typed: CombinedGraphQLErrors.is(thrown),
    codes: thrown.errors?.map(({ extensions }) => extensions.code),
    partial: {
      name: partial.data.user.name,
      orders: partial.data.user.orders.edges,
      code: partial.error.errors[0].extensions.code,
    },
    refused: await refused(client, gql`query Unknown { nobody }`),
  };
}

async function refused(client, query) {
  const error = await client.query({ query }).catch((error) => error);
  return error.errors?.map(({ extensions }) => extensions.code) ?? String(error);
}

async function persisted({ useGETForHashedQueries }) {
  const { asked, client } = opened({
    before: new PersistedQueryLink({ sha256, useGETForHashedQueries }),
  });
  const names = [];
  for (const id of ["u_001", "u_002"]) {
    // A document of its own for either way, so that neither knows the other's.
    const query = useGETForHashedQueries
      ? gql`query NameByGet($id: ID!) { user(id: $id) { nodeId name } }`
      : gql`query NameByPost($id: ID!) { user(id: $id) { nodeId name } }`;
    names.push((await client.query({ query, variables: { id } })).data.user.name);
  }
  return { asked, names };
}

const saw = {
  cached: await cached(),
  walked: await walked(),
  // Pages there end before they are full, and some are empty.
  filtered: await walked({ at: sparse, where: { status: { eq: "CANCELLED" } } }),
  failed: await failed(),
  persisted: {
    get: await persisted({ useGETForHashedQueries: true }),
    post: await persisted({ useGETForHashedQueries: false }),
  },
};
console.log(JSON.stringify({ ...saw, complained }));
