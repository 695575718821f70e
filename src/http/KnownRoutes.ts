import { Effect, Layer } from "effect"
import { FindMyWay, HttpRouter } from "effect/http"

/** Paths match exactly: another letter case, a trailing or a double slash makes another path. */
export const routerConfig = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }

const methods = ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"]

/**
 * Notes the routes that are added to a router, the service's and a team's alike, because `HttpRouter` does not tell a path that is
 * unknown from one that is known with another method. Routes that `layer` is provided to are noted.
 */
export const make = () => {
  const known = FindMyWay.make<true>(routerConfig)
  const note = (method: string, path: string) => {
    const paths = path.endsWith("/*") ? [path, path.slice(0, -2)] : [path]
    for (const each of paths as ReadonlyArray<HttpRouter.PathInput>) {
      if (method === "*") known.all(each, true)
      else known.on(method, each, true)
    }
  }

  const noting = (router: HttpRouter.HttpRouter, prefix: string): HttpRouter.HttpRouter => {
    const full = (path: string) => (prefix === "" ? path : HttpRouter.prefixPath(path, prefix))
    return HttpRouter.HttpRouter.of({
      ...router,
      prefixed: (more) => noting(router.prefixed(more), full(more)),
      add: (method, path, handler, options) => {
        note(method, full(path))
        return router.add(method, path, handler, options)
      },
      addAll: (routes) => {
        for (const { method, path } of routes) note(method, full(path))
        return router.addAll(routes)
      }
    })
  }

  return {
    layer: Layer.effect(
      HttpRouter.HttpRouter,
      Effect.map(HttpRouter.HttpRouter, (router) => noting(router, ""))
    ),
    /**
     * The methods with which a path is known, in alphabetical order; none if the path is not known. A path in which an id is empty is
     * not known, although the router matches it: `/v1/customers/`.
     */
    methodsOf: (path: string): ReadonlyArray<string> =>
      methods
        .filter((method) => {
          const found = known.find(method, path)
          return (
            found !== undefined && Object.entries(found.params).every(([name, part]) => name === "*" || part !== "")
          )
        })
        .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  }
}
