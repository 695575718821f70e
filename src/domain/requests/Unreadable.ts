/*
 * A rule may be asked about a body of which parts do not fit the schema. Reading such a part throws `unreadable`: a rule that needs the
 * part finds nothing more, and all other rules find what they find in a right body.
 */

/** What reading a part throws that does not fit its schema. */
export const unreadable = Symbol("unreadable")

/** What rules find that do not depend on each other. */
export function* findingsOf<A>(rules: Iterable<() => Iterable<A>>): Generator<A, void> {
  for (const rule of rules) {
    try {
      yield* rule()
    } catch (thrown) {
      if (thrown !== unreadable) throw thrown
    }
  }
}

/** What a rule finds in each item of a list. */
export const findingsInItems = <A, Item>(
  list: ReadonlyArray<Item> | undefined,
  rule: (item: Item, index: number) => Iterable<A>
): Generator<A, void> =>
  findingsOf(
    Array.from((list ?? []).keys(), (index) => () => rule((list as ReadonlyArray<Item>)[index] as Item, index))
  )

/** A value that depends on parts which may be unreadable; undefined if such a part is unreadable. */
export const ifReadable = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch (thrown) {
    if (thrown === unreadable) return undefined
    throw thrown
  }
}
