package io.rdma.samples.weather;

import io.rdma.spring.boot.RdmaRSocketServerLifecycle;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The service. {@code rdma.rsocket.port} in weather-server.properties makes its controller available over RDMA. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(WeatherController.class)
class WeatherServer {
    WeatherServer() {}

    static void run(String... args) {
        new SpringApplicationBuilder(WeatherServer.class)
                .properties("spring.config.name=weather-server")
                .run(args);
    }

    @Bean
    ApplicationRunner ready(RdmaRSocketServerLifecycle server) {
        return arguments -> System.out.println(Weather.READY + server.address().getPort());
    }
}
