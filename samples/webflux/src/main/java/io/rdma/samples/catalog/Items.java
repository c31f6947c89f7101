package io.rdma.samples.catalog;

import java.util.List;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import reactor.core.publisher.Mono;

/** The catalog as its clients see it. The address of the service alone says whether it is reached over RDMA. */
interface Items {
    @GetExchange("/items/{id}")
    Mono<Item> item(@PathVariable int id);

    @GetExchange("/items")
    Mono<List<Item>> items();

    @PostExchange("/orders")
    Mono<Receipt> order(@RequestBody Order order);
}
