import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** The OpenAPI 3.1 document of the interface, derived from the same schemas that the server decodes with. */
export const openApi = OpenApi.fromApi(Api)
