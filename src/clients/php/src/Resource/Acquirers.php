<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Look-ups of buyers at the tax authority: `$folio->acquirers` */
final class Acquirers extends ResourceMethods
{
    /**
     * Requests from the authority a buyer's name and email address:
     * `$folio->acquirers->retrieve('31-900000001')['email']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $identification): array
    {
        return $this->get('/v1/acquirers/' . self::segment($identification));
    }
}
