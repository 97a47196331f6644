import { graphql } from "relay-runtime";

export const query = graphql`
  query ordersOfUserQuery($id: ID!, $count: Int!, $where: UserOrdersFilter) {
    user(id: $id) {
      name
      ...orders_user @arguments(count: $count, where: $where)
    }
  }
`;

export const fragment = graphql`
  fragment orders_user on User
  @argumentDefinitions(
    count: { type: "Int!" }
    cursor: { type: "String" }
    where: { type: "UserOrdersFilter" }
  )
  @refetchable(queryName: "ordersPageQuery") {
    orders(first: $count, after: $cursor, where: $where)
      @connection(key: "orders_user_orders") {
      edges {
        node {
          id
          total
        }
      }
    }
  }
`;
