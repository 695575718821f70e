<?php

declare(strict_types=1);

namespace Folio\Resource;

/** The request log of the last seven days: `$folio->requests` */
final class Requests extends ResourceMethods
{
    /**
     * Yields requests, newest first: `foreach ($folio->requests->list(['status' => '4xx']) as $request) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/requests', $query);
    }

    /**
     * Returns a request with its bodies: `$folio->requests->retrieve('req_…')['response_body']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/requests/' . self::segment($id));
    }
}
