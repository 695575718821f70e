<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Notices to the issuer: `$folio->notices` */
final class Notices extends ResourceMethods
{
    /**
     * Yields notices, newest first: `foreach ($folio->notices->list(['status' => 'open']) as $notice) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/notices', $query);
    }

    /**
     * Returns a notice: `$folio->notices->retrieve('ntc_…')['message']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/notices/' . self::segment($id));
    }
}
