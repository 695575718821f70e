<?php

declare(strict_types=1);

namespace Folio\Resource;

/** The simulated authority and the clock of the sandbox: `$folio->testHelpers` */
final class TestHelpers extends ResourceMethods
{
    /**
     * Sets the simulated authority's mode (`up`, `down`, `slow` or `flaky`), and scripts the account's next documents:
     * `$folio->testHelpers->setAuthority('up', next: [['reject' => ['FAD06']], ['fail' => true]])`
     *
     * @param list<array<string, mixed>>|null $next
     * @return array<string, mixed>
     */
    public function setAuthority(?string $mode = null, ?string $idempotencyKey = null, ?array $next = null): array
    {
        $body = array_filter(['mode' => $mode, 'next' => $next], static fn (mixed $value): bool => $value !== null);
        return $this->post('/v1/test-helpers/authority', $idempotencyKey, $body);
    }

    /**
     * Advances the sandbox's clock for everything that waits: `$folio->testHelpers->advance(300)`
     *
     * @return array<string, mixed>
     */
    public function advance(int $seconds, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/test-helpers/advance', $idempotencyKey, ['seconds' => $seconds]);
    }
}
