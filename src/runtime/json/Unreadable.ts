/*
 * The reading of bodies that do not fit the schema. A part that does not fit throws `unreadable` when it is read. A
 * rule that needs the part then finds nothing more. All other rules find the same as in a valid body.
 */

/** The value that is thrown when a part does not fit its schema. */
export const unreadable = Symbol("unreadable")

/** The findings of rules that do not depend on each other. */
export function* findingsOf<A>(rules: Iterable<() => Iterable<A>>): Generator<A, void> {
  for (const rule of rules) {
    try {
      yield* rule()
    } catch (thrown) {
      if (thrown !== unreadable) throw thrown
    }
  }
}

/** The findings of a rule in each item of a list. */
export const findingsInItems = <A, Item>(
  list: ReadonlyArray<Item> | undefined,
  rule: (item: Item, index: number) => Iterable<A>
): Generator<A, void> =>
  findingsOf(
    Array.from((list ?? []).keys(), (index) => () => rule((list as ReadonlyArray<Item>)[index] as Item, index))
  )

/** A value that depends on parts that may be unreadable; undefined if one is. */
export const ifReadable = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch (thrown) {
    if (thrown === unreadable) return undefined
    throw thrown
  }
}
