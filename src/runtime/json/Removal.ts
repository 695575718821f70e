type Nullable<A> = { readonly [Name in keyof A]: A[Name] | null }

/**
 * An object after an update, in which null removes a field: the object without its nulls. The schema of the update lets
 * only optional fields be null.
 */
export const withoutNulls = <A extends object>(updated: Nullable<A>): A =>
  Object.fromEntries(Object.entries(updated).filter(([, value]) => value !== null)) as A
