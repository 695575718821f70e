import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** The OpenAPI 3.1 document of the API, derived from the schemas that the server decodes requests with. */
export const openApi = OpenApi.fromApi(Api)
