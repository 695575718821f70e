/** The release of this program: the number of the last migration whose tables it knows. Processes of two releases can share a database. */
export const schemaRelease = 1
