const stroke = {
  fill: "none",
  stroke: "currentColor",
  strokeWidth: 1.6,
  strokeLinecap: "round",
  strokeLinejoin: "round",
} as const;

/** Bars of a waterfall. */
export const PlanIcon = () => (
  <svg viewBox="0 0 20 20" {...stroke}>
    <path d="M3 4.5h8M6 10h8M11 15.5h6" strokeWidth={2.6} />
    <path d="M2 1.5v17" strokeOpacity={0.45} />
  </svg>
);

export const LinkIcon = () => (
  <svg className="graphiql-toolbar-icon" viewBox="0 0 20 20" {...stroke}>
    <path d="M8.5 11.5a3.2 3.2 0 0 0 4.6 0l3-3a3.25 3.25 0 0 0-4.6-4.6l-1 1" />
    <path d="M11.5 8.5a3.2 3.2 0 0 0-4.6 0l-3 3a3.25 3.25 0 0 0 4.6 4.6l1-1" />
  </svg>
);

export const DryRunIcon = () => (
  <svg className="graphiql-toolbar-icon" viewBox="0 0 20 20" {...stroke}>
    <path d="M3 4.5h8M6 10h8M11 15.5h6" strokeWidth={2.4} strokeDasharray="2.6 3.4" />
  </svg>
);

export const TableIcon = () => (
  <svg viewBox="0 0 20 20" {...stroke}>
    <rect x="2.5" y="3.5" width="15" height="13" rx="2" />
    <path d="M2.5 8h15M8 8v8.5M8 12.2h9.5" />
  </svg>
);
