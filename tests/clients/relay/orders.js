import { graphql } from "relay-runtime";

export const query = graphql`
  query ordersOfUserQuery($id: ID!, $count: Int!) {
    user(id: $id) {
      name
      ...orders_user @arguments(count: $count)
    }
  }
`;

export const fragment = graphql`
  fragment orders_user on User
  @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
  @refetchable(queryName: "ordersPageQuery") {
    orders(first: $count, after: $cursor) @connection(key: "orders_user_orders") {
      edges {
        node {
          id
          total
        }
      }
    }
  }
`;
