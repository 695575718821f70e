import * as Fs from "node:fs"

/** The folder of this program's migrations. */
export const migrationsFolder = new URL("../../migrations/", import.meta.url)

/** The number of a migration, by the name of its file or folder. */
export const migrationNumber = (name: string) => Number(name.slice(0, 4))

/**
 * The release of this program: the number of its last migration. Processes of two releases can share a database.
 */
export const schemaRelease = Math.max(...Fs.readdirSync(migrationsFolder).map(migrationNumber))
