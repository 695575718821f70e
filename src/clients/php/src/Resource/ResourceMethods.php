<?php

declare(strict_types=1);

namespace Folio\Resource;

use Folio\Client;

/** The methods of one resource, such as `$folio->customers`. */
abstract class ResourceMethods
{
    public function __construct(protected readonly Client $folio)
    {
    }

    /** @return array<string, mixed> */
    protected function get(string $path): array
    {
        return $this->folio->request('GET', $path);
    }

    /**
     * @param ?array<string, mixed> $body
     * @return array<string, mixed>
     */
    protected function post(string $path, ?string $key, ?array $body = null): array
    {
        return $this->folio->request('POST', $path, [], $body, $key);
    }

    /**
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    protected function patch(string $path, ?string $key, array $body): array
    {
        return $this->folio->request('PATCH', $path, [], $body, $key);
    }

    /**
     * @param array<string, mixed>|string $body
     * @return array<string, mixed>
     */
    protected function put(string $path, ?string $key, array|string $body): array
    {
        return $this->folio->request('PUT', $path, [], $body, $key);
    }

    /** Encodes an id as one segment of a path. */
    protected static function segment(string $id): string
    {
        return rawurlencode($id);
    }
}
