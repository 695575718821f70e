<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Portal sessions: `$folio->portalSessions` */
final class PortalSessions extends ResourceMethods
{
    /**
     * Creates a session, whose url works once, within 60 seconds:
     * `header('Location: ' . $folio->portalSessions->create(['capabilities' => ['view']])['url'])`
     *
     * @param array<string, mixed> $session
     * @return array<string, mixed>
     */
    public function create(array $session = [], ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/portal-sessions', $idempotencyKey, $session);
    }

    /**
     * Yields all sessions, without their urls: `foreach ($folio->portalSessions->list() as $session) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/portal-sessions', $query);
    }

    /**
     * Returns a session, without its url: `$folio->portalSessions->retrieve('ps_…')['status']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/portal-sessions/' . self::segment($id));
    }

    /**
     * Ends a session: `$folio->portalSessions->end('ps_…')`
     *
     * @return array<string, mixed>
     */
    public function end(string $id): array
    {
        return $this->folio->request('DELETE', '/v1/portal-sessions/' . self::segment($id));
    }
}
