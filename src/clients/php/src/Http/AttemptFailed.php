<?php

declare(strict_types=1);

namespace Folio\Http;

/**
 * An attempt got no readable response.
 *
 * @internal
 */
final class AttemptFailed extends \RuntimeException
{
    public function __construct(string $message, public readonly bool $isFinal = false)
    {
        parent::__construct($message);
    }

    public static function tooLarge(int $max): self
    {
        return new self("The response has more than $max bytes. Request fewer objects with limit.", true);
    }
}
