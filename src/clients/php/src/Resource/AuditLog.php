<?php

declare(strict_types=1);

namespace Folio\Resource;

/** The audit log: `$folio->auditLog` */
final class AuditLog extends ResourceMethods
{
    /**
     * Yields entries, newest first: `foreach ($folio->auditLog->list(['actor' => 'operator']) as $entry) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/audit-log', $query);
    }

    /**
     * Returns an entry: `$folio->auditLog->retrieve('aud_…')['action']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/audit-log/' . self::segment($id));
    }
}
