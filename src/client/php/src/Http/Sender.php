<?php

declare(strict_types=1);

namespace Folio\Http;

/** @internal */
interface Sender
{
    /** The largest answer that is read, in bytes. */
    public const ANSWER_MAX = 32 * 1024 * 1024;

    /**
     * Makes one attempt, and follows no redirect: the key would go to another place.
     *
     * @param list<string> $headers lines, the key among them
     * @throws AttemptFailed
     */
    public function attempt(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body): Answer;
}
