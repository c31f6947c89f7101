package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.TestCertificates;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests of what the start of an application logs and refuses, and of certificates that change while it runs. */
class RdmaStartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("rdma.device=soft0", "rdma.server.port=0", "rdma.server.shutdown-timeout=0s")
            .withBean(RdmaConnectionHandler.class, () -> connection -> connection.onDispose());

    @Test
    void aServerThatListensIsLogged() {
        try (CapturedLog log = new CapturedLog(ListeningReport.class.getName())) {
            contexts.withPropertyValues("rdma.server.host=127.0.0.1").run(context -> {
                int port = context.getBean(RdmaServerLifecycle.class).address().getPort();
                assertThat(log.lines())
                        .filteredOn(line -> line.contains(":" + port + " "))
                        .singleElement()
                        .asString()
                        .startsWith("INFO rdma.server listens at 127.0.0.1:" + port + " on soft0, GID ")
                        .endsWith(", connects by TCP");
            });
            assertThat(log.has("WARNING")).isFalse();
        }
    }

    @Test
    void aServerOfTheApplicationThatListensIsLogged() {
        try (CapturedLog log = new CapturedLog(ListeningReport.class.getName())) {
            contexts.withUserConfiguration(OwnServer.class).run(context -> {
                int port = context.getBean(RdmaServerLifecycle.class).address().getPort();
                assertThat(log.has("INFO rdma.server listens at 127.0.0.1:" + port + " on soft0", "connects by TCP"))
                        .isTrue();
            });
        }
    }

    /** Configuration of an application that makes its server itself. */
    @Configuration(proxyBeanMethods = false)
    static class OwnServer {
        @Bean
        RdmaServer server(RdmaResources resources) {
            return RdmaServer.create().resources(resources).host("127.0.0.1").port(0);
        }
    }

    @Test
    void aServerListensOnAllInterfacesAndWarnsThatItIsOpen() {
        try (CapturedLog log = new CapturedLog(ListeningReport.class.getName())) {
            contexts.run(context -> {
                RdmaServerLifecycle lifecycle = context.getBean(RdmaServerLifecycle.class);
                assertThat(lifecycle.address().getAddress().isAnyLocalAddress()).isTrue();
                context.getBean(RdmaClient.class)
                        .host("127.0.0.1")
                        .port(lifecycle.address().getPort())
                        .connectNow(PATIENCE)
                        .disposeNow(PATIENCE);
                assertThat(log.has(
                                "WARNING rdma.server listens on all interfaces",
                                "port " + lifecycle.address().getPort(),
                                "rdma.ssl.bundle",
                                "rdma.server.host"))
                        .isTrue();
            });
        }
    }

    /** The context of a test is paused while other tests have another one. Its clients know the port from before. */
    @Test
    void aServerKeepsItsPortWhileItsContextIsPaused() {
        contexts.run(context -> {
            RdmaServerLifecycle lifecycle = context.getBean(RdmaServerLifecycle.class);
            int port = lifecycle.address().getPort();
            ConfigurableApplicationContext paused =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            paused.pause();
            paused.restart();
            assertThat(lifecycle.address().getPort()).isEqualTo(port);
            context.getBean(RdmaClient.class)
                    .host("127.0.0.1")
                    .port(port)
                    .connectNow(PATIENCE)
                    .disposeNow(PATIENCE);
        });
    }

    private static SslBundle bundle(Path folder, String name) {
        JksSslStoreDetails store = JksSslStoreDetails.forLocation("file:" + folder.resolve(name + ".p12"))
                .withPassword(TestCertificates.PASSWORD);
        return SslBundle.of(new JksSslStoreBundle(store, store));
    }

    @Test
    void newConnectionsUseTheNewestCertificates(@TempDir Path folder) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        certificates.create("old");
        certificates.create("new");
        DefaultSslBundleRegistry registry = new DefaultSslBundleRegistry("rdma", bundle(folder, "old"));
        try (CapturedLog log = new CapturedLog(ListeningReport.class.getName())) {
            contexts.withBean(SslBundles.class, () -> registry)
                    .withPropertyValues("rdma.ssl.bundle=rdma")
                    .run(context -> {
                        RdmaClient client = context.getBean(RdmaClient.class)
                                .host("127.0.0.1")
                                .port(context.getBean(RdmaServerLifecycle.class)
                                        .address()
                                        .getPort());
                        assertThat(log.has("INFO", "with TLS")).isTrue();
                        assertThat(log.has("WARNING")).isFalse(); // clients authenticate themselves
                        client.connectNow(PATIENCE).disposeNow(PATIENCE);
                        RdmaClient newer = client.options(
                                options -> options.withTls(bundle(folder, "new").createSslContext()));
                        assertThatThrownBy(() -> newer.connectNow(PATIENCE)).isInstanceOf(RdmaConnectException.class);
                        registry.updateBundle("rdma", bundle(folder, "new"));
                        newer.connectNow(PATIENCE).disposeNow(PATIENCE);
                        client.connectNow(PATIENCE).disposeNow(PATIENCE); // the client's context follows, too
                    });
        }
    }

    @Test
    void aBundleThatCannotBeUsedLeavesTheCertificatesOfBefore(@TempDir Path folder) throws Exception {
        new TestCertificates(folder).create("good");
        DefaultSslBundleRegistry registry = new DefaultSslBundleRegistry("rdma", bundle(folder, "good"));
        try (CapturedLog log = new CapturedLog(ReloadingSslContext.class.getName())) {
            contexts.withBean(SslBundles.class, () -> registry)
                    .withPropertyValues("rdma.ssl.bundle=rdma", "rdma.server.host=127.0.0.1")
                    .run(context -> {
                        registry.updateBundle("rdma", bundle(folder, "missing"));
                        assertThat(log.has("WARNING", "SSL bundle rdma cannot be used"))
                                .isTrue();
                        context.getBean(RdmaClient.class)
                                .host("127.0.0.1")
                                .port(context.getBean(RdmaServerLifecycle.class)
                                        .address()
                                        .getPort())
                                .connectNow(PATIENCE)
                                .disposeNow(PATIENCE);
                    });
        }
    }

    @Test
    void anAddressThatIsTakenNamesTheProperties() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            contexts.withPropertyValues("rdma.server.host=127.0.0.1", "rdma.server.port=" + taken.getLocalPort())
                    .run(context -> {
                        assertThat(context)
                                .getFailure()
                                .hasStackTraceContaining("rdma.server cannot listen")
                                .hasStackTraceContaining("rdma.server.port");
                        FailureAnalysis analysis =
                                new ServerNotListeningFailureAnalyzer().analyze(context.getStartupFailure());
                        assertThat(analysis.getDescription()).contains(String.valueOf(taken.getLocalPort()));
                        assertThat(analysis.getAction()).contains("rdma.server.port", "rdma.server.host");
                    });
        }
        contexts.withPropertyValues("rdma.server.host=host.invalid")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("unknown host: host.invalid")
                        .hasStackTraceContaining("rdma.server.host"));
    }

    @Test
    void aDeviceThatIsNotThereIsLogged() {
        try (CapturedLog log = new CapturedLog(DeviceTrial.class.getName())) {
            contexts.withPropertyValues("rdma.device=mlx5_77")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.has("WARNING", "no RDMA beans", "rdma.device=mlx5_77", "soft0", "rdma.required=true"))
                    .isTrue();
        }
    }

    private static String notice(String property, String variable, List<String> listed) {
        return SoftwareDeviceNotice.text("soft0", List.of("mlx5_0", "mlx5_1"), property, variable, () -> listed)
                .orElseThrow();
    }

    @Test
    void theSoftwareDeviceBesideACardIsExplained() {
        assertThat(notice("soft0", "mlx5_0", List.of("mlx5_0")))
                .contains("soft0 is used", "mlx5_0, mlx5_1", "rdma.device=soft0 asks for it");
        assertThat(notice(null, "soft0", List.of("mlx5_0"))).contains("RDMA_DEVICE=soft0 asks for it");
        assertThat(notice("", "", List.of("mlx5_0"))).contains("none of [mlx5_0] has an active port");
        assertThat(notice(null, null, List.of())).contains("libibverbs lists no device");
    }

    @Test
    void theSoftwareDeviceOfAHostWithoutACardIsNot(@TempDir Path folder) throws Exception {
        assertThat(SoftwareDeviceNotice.cards(folder.resolve("none"))).isEmpty();
        assertThat(SoftwareDeviceNotice.text("soft0", List.of(), "soft0", null, () -> {
                    throw new AssertionError("asked, although it takes time");
                }))
                .isEmpty();
        Files.createDirectory(folder.resolve("mlx5_1"));
        Files.createDirectory(folder.resolve("mlx5_0"));
        assertThat(SoftwareDeviceNotice.cards(folder)).containsExactly("mlx5_0", "mlx5_1");
    }
}
