<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Catalogs of codes: `$folio->catalogs` */
final class Catalogs extends ResourceMethods
{
    /**
     * Returns a catalog: `$folio->catalogs->retrieve('unidad-medida')['data']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $name): array
    {
        return $this->get('/v1/catalogs/' . self::segment($name));
    }
}
