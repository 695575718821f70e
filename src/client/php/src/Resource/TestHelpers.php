<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Trouble to try out, in the sandbox: `$folio->testHelpers` */
final class TestHelpers extends ResourceMethods
{
    /**
     * Makes the simulated authority `up`, `down`, `slow` or `flaky`: `$folio->testHelpers->setAuthority('down')`
     *
     * @return array<string, mixed>
     */
    public function setAuthority(string $mode, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/test-helpers/authority', $idempotencyKey, ['mode' => $mode]);
    }

    /**
     * Lets time pass for all that waits: `$folio->testHelpers->advance(300)`
     *
     * @return array<string, mixed>
     */
    public function advance(int $seconds, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/test-helpers/advance', $idempotencyKey, ['seconds' => $seconds]);
    }
}
