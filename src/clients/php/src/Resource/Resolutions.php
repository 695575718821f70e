<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Numbering ranges: `$folio->resolutions` */
final class Resolutions extends ResourceMethods
{
    /**
     * Registers a range: `$folio->resolutions->create(['document_type' => 'credit_note', 'prefix' => 'DV'])['id']`
     *
     * @param array<string, mixed> $resolution
     * @return array<string, mixed>
     */
    public function create(array $resolution, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/resolutions', $idempotencyKey, $resolution);
    }

    /**
     * Yields all ranges, newest first: `foreach ($folio->resolutions->list() as $one) { print_r($one['warnings']); }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/resolutions', $query);
    }

    /**
     * Imports the ranges that the authority has granted; requires a live key: `$folio->resolutions->importGranted()`
     *
     * @return array<string, mixed>
     */
    public function importGranted(?string $idempotencyKey = null): array
    {
        return $this->post('/v1/resolutions/import', $idempotencyKey);
    }

    /**
     * Returns a range: `$folio->resolutions->retrieve('res_…')['status']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/resolutions/' . self::segment($id));
    }

    /**
     * Deactivates a range, or extends its validity: `$folio->resolutions->update('res_…', ['is_active' => false])`
     *
     * @param array<string, mixed> $changes
     * @return array<string, mixed>
     */
    public function update(string $id, array $changes, ?string $idempotencyKey = null): array
    {
        return $this->patch('/v1/resolutions/' . self::segment($id), $idempotencyKey, $changes);
    }
}
