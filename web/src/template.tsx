/** A key template: its fixed text, and its placeholders as something else. Breaks after a `#`. */
export function Template({ text }: { text: string }) {
  const parts = text.split(/(\{[^}]*\})/).filter(Boolean);
  return (
    <code className="template">
      {parts.map((part, at) =>
        part.startsWith("{") ? (
          <var key={at}>{part.slice(1, -1)}</var>
        ) : (
          part.split(/(?<=[#_])/).map((piece, place) => (
            <span key={`${at}.${place}`}>
              {piece}
              <wbr />
            </span>
          ))
        ),
      )}
    </code>
  );
}

/** A type's name, which breaks between its words. */
export function TypeName({ name }: { name: string }) {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])/).map((word, at) => (
    <span key={at}>
      {at > 0 && <wbr />}
      {word}
    </span>
  ));
}
