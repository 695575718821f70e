import { launch } from "./cli/Launch.ts"

await launch(process.argv.slice(2))
