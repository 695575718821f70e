<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Events: `$folio->events` */
final class Events extends ResourceMethods
{
    /**
     * Yields events, newest first: `foreach ($folio->events->list(['types[]' => ['invoice.failed']]) as $event) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/events', $query);
    }

    /**
     * Yields the events after an event, oldest first, and waits for more:
     * `foreach ($folio->events->follow('evt_…') as $event) { … }`
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function follow(string $after): \Generator
    {
        while (true) {
            $page = $this->folio->request('GET', '/v1/events', ['after' => $after, 'wait' => 20, 'limit' => 100]);
            foreach ($page['data'] as $event) {
                $after = $event['id'];
                yield $event;
            }
        }
    }

    /**
     * Returns an event: `$folio->events->retrieve('evt_…')['type']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/events/' . self::segment($id));
    }

    /**
     * Yields the deliveries of an event: `foreach ($folio->events->deliveries('evt_…') as $delivery) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function deliveries(string $id, array $query = []): \Generator
    {
        return $this->folio->pages('/v1/events/' . self::segment($id) . '/deliveries', $query);
    }
}
