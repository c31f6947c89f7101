package com.example.echo;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import java.time.Duration;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/** Client, which asks once the application has started. */
@Component
class Question implements ApplicationRunner {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private final RdmaClient client;

    Question(RdmaClient client) {
        this.client = client;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        RdmaConnection connection = client.connectNow(PATIENCE);
        connection.send("hello").block(PATIENCE);
        System.out.println(connection.receive().asString().blockFirst(PATIENCE));
        connection.disposeNow(PATIENCE);
    }
}
