<?php

declare(strict_types=1);

namespace Folio\Http;

/**
 * An attempt got no answer that can be read.
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
        return new self("The answer has more than $max bytes. Ask for fewer objects with limit.", true);
    }
}
