// Uses graphql-request against a running shop, and prints as JSON what it saw.
// Usage: node request.mjs '{"address": ADDRESS}'
import { ClientError, GraphQLClient, gql } from "graphql-request";

const { address } = JSON.parse(process.argv[2]);
const client = new GraphQLClient(address);

const ORDERS = gql`
  query Orders($id: ID!, $first: Int!, $after: String) {
    user(id: $id) {
      name
      orders(first: $first, after: $after) {
        nodes {
          id
        }
      }
    }
  }
`;

async function failure(document, variables) {
  try {
    return await client.request(document, variables);
  } catch (error) {
    return {
      typed: error instanceof ClientError,
      status: error.response?.status,
      codes: error.response?.errors?.map(({ extensions }) => extensions.code),
      data: error.response?.data,
    };
  }
}

console.log(
  JSON.stringify({
    newest: await client.request(ORDERS, { id: "u_001", first: 3 }),
    altered: await failure(ORDERS, { id: "u_001", first: 3, after: "altered" }),
    unknown: await failure("{ nobody }"),
  }),
);
