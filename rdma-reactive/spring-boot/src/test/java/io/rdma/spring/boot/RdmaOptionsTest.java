package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.types.QueuePairCapacity;
import java.beans.Introspector;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests of the options that properties set: each option has a property, and a wrong value names its property. */
class RdmaOptionsTest {
    /** Options that have no property of their name, each with the reason. */
    private static final Map<String, String> EXCEPTIONS = Map.of(
            "rdma.connection.tls", "a context is not text: rdma.ssl.bundle names one",
            "rdma.connection.queue-pair", "its own options have properties",
            "rdma.connection.path", "its own options have properties");

    /** Properties, each with a value that is valid and not the default. */
    private static final Map<String, String> EXAMPLES = Stream.of(
                    "rdma.resources.completion-queue-entries=4096",
                    "rdma.resources.max-completion-queue-entries=100000",
                    "rdma.resources.loops=2",
                    "rdma.resources.idle-strategy=back-off",
                    "rdma.resources.huge-pages=transparent",
                    "rdma.resources.max-registered-bytes=1GB",
                    "rdma.resources.cached-bytes=0",
                    "rdma.resources.shared-receive-buffers=64",
                    "rdma.resources.shared-receive-buffer-size=4KB",
                    "rdma.resources.completion-vectors=2,1",
                    "rdma.resources.processors=0,1",
                    "rdma.resources.device-node=true",
                    "rdma.resources.on-demand=true",
                    "rdma.connection.receive-buffers=64",
                    "rdma.connection.receive-buffer-size=4KB",
                    "rdma.connection.max-message-size=1MB",
                    "rdma.connection.send-buffers=32",
                    "rdma.connection.send-buffer-size=4KB",
                    "rdma.connection.signal-every=8",
                    "rdma.connection.max-rd-atomic=4",
                    "rdma.connection.timeout=10",
                    "rdma.connection.retry-cnt=3",
                    "rdma.connection.rnr-retry=5",
                    "rdma.connection.min-rnr-timer=10",
                    "rdma.connection.flow-control=credits-required",
                    "rdma.connection.connect-method=tcp",
                    "rdma.connection.verify-server-name=false",
                    "rdma.connection.verify-peer-gid=false",
                    "rdma.connection.own-protection-domain=true",
                    "rdma.connection.handshake-timeout=5s",
                    "rdma.connection.drain-timeout=500ms",
                    "rdma.connection.probe-interval=0",
                    "rdma.connection.orderly-disconnect=false",
                    "rdma.connection.queue-pair-type=uc",
                    "rdma.connection.path.service-level=3",
                    "rdma.connection.path.traffic-class=104",
                    "rdma.connection.path.hop-limit=8",
                    "rdma.connection.path.flow-label=74565",
                    "rdma.connection.path.partition-key=32769",
                    "rdma.connection.path.partition-index=1",
                    "rdma.connection.path.port=2",
                    "rdma.connection.path.gid-type=roce-v2",
                    "rdma.connection.path.gid-address=192.0.2.1",
                    "rdma.connection.path.alternate-gid-address=192.0.2.2",
                    "rdma.connection.path.peer-alternate-gid-address=192.0.2.3",
                    "rdma.connection.queue-pair.max-send-wr=256",
                    "rdma.connection.queue-pair.max-receive-wr=256",
                    "rdma.connection.queue-pair.max-send-sge=2",
                    "rdma.connection.queue-pair.max-receive-sge=2",
                    "rdma.connection.queue-pair.max-inline-data=32B",
                    "rdma.server.limits.connections=10",
                    "rdma.server.limits.handshakes=20",
                    "rdma.server.limits.handshakes-per-address=5")
            .map(line -> line.split("="))
            .collect(Collectors.toMap(words -> words[0], words -> words[1]));

    /** Contexts without a device, which options do not need. */
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("rdma.device=mlx5_77");

    /** A class of options, and how a bean tells its instance. */
    private record Options(String prefix, Class<? extends Record> type, Function<RdmaOptions, Record> of) {
        @Override
        public String toString() {
            return prefix;
        }

        private String property(RecordComponent option) {
            return prefix + kebab(option.getName());
        }
    }

    private static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    static List<Options> options() {
        return List.of(
                new Options("rdma.resources.", ResourceOptions.class, RdmaOptions::resources),
                new Options("rdma.connection.", ConnectionOptions.class, RdmaOptions::client),
                new Options(
                        "rdma.connection.path.",
                        PathOptions.class,
                        bean -> bean.client().path()),
                new Options(
                        "rdma.connection.queue-pair.",
                        QueuePairCapacity.class,
                        bean -> bean.client().queuePair()),
                new Options("rdma.server.limits.", AdmissionLimits.class, RdmaOptions::limits));
    }

    private static Map<String, Object> values(Record options) {
        Map<String, Object> values = new HashMap<>();
        for (RecordComponent option : options.getClass().getRecordComponents()) {
            try {
                values.put(option.getName(), option.getAccessor().invoke(options));
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        return values;
    }

    private Map<String, Object> valuesWith(Options options, String... properties) {
        Map<String, Object> values = new HashMap<>();
        contexts.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            values.putAll(values(options.of.apply(context.getBean(RdmaOptions.class))));
        });
        return values;
    }

    @ParameterizedTest
    @MethodSource("options")
    void eachOptionHasAPropertyThatSetsItAlone(Options options) {
        Map<String, Object> defaults = valuesWith(options);
        for (RecordComponent option : options.type.getRecordComponents()) {
            String property = options.property(option);
            if (EXCEPTIONS.containsKey(property)) {
                assertThat(EXAMPLES).doesNotContainKey(property);
                continue;
            }
            assertThat(EXAMPLES)
                    .as("a property for this option, or an exception with a reason")
                    .containsKey(property);
            Map<String, Object> changed = valuesWith(options, property + "=" + EXAMPLES.get(property));
            assertThat(changed.remove(option.getName())).as(property).isNotEqualTo(defaults.get(option.getName()));
            assertThat(defaults).as(property).containsAllEntriesOf(changed);
        }
    }

    /** The options are the components of the records: no method changes anything else. */
    @ParameterizedTest
    @MethodSource("options")
    void eachMethodThatChangesAnOptionIsThatOfAComponent(Options options) {
        List<String> components = Arrays.stream(options.type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
        assertThat(Arrays.stream(options.type.getMethods())
                        .map(Method::getName)
                        .filter(name -> name.startsWith("with"))
                        .map(name -> Introspector.decapitalize(name.substring(4)))
                        .filter(name -> !name.equals("dscp"))) // the traffic class in another unit
                .isNotEmpty()
                .isSubsetOf(components);
    }

    @Test
    void aPartitionIsSetByKeyOrByIndex() {
        contexts.withPropertyValues(
                        "rdma.connection.path.partition-key=32769", "rdma.connection.path.partition-index=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("rdma.connection.path.partition-key")
                        .hasStackTraceContaining("rdma.connection.path.partition-index is set, too"));
    }

    @Test
    void withoutPropertiesTheOptionsAreTheDefaultsOfTheLibrary() {
        contexts.run(context -> {
            RdmaOptions options = context.getBean(RdmaOptions.class);
            assertThat(options.resources()).isEqualTo(ResourceOptions.DEFAULT);
            assertThat(options.client()).isEqualTo(ConnectionOptions.DEFAULT);
            assertThat(options.server()).isEqualTo(ConnectionOptions.DEFAULT);
            assertThat(options.limits()).isEqualTo(AdmissionLimits.DEFAULT.withConnections(1000));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "rdma.enabled, maybe, boolean",
        "rdma.required, perhaps, boolean",
        "rdma.observations.enabled, maybe, boolean",
        "rdma.resources.loops, many, int",
        "rdma.resources.loops, 0, loops must be from 1 to 1024",
        "rdma.resources.idle-strategy, nap, IdleStrategy",
        "rdma.resources.huge-pages, vast, HugePages",
        "rdma.resources.processors, -1, processors must be from 0 to 8191",
        "rdma.connection.path.traffic-class, 256, trafficClass must be from 0 to 255",
        "rdma.connection.path.gid-type, ROCE_V9, GidType",
        "rdma.resources.completion-queue-entries, 0, completionQueueEntries must be at least 1",
        "rdma.resources.max-completion-queue-entries, 0, maxCompletionQueueEntries must be at least 1",
        "rdma.resources.max-registered-bytes, 0B, maxRegisteredBytes must be at least 1",
        "rdma.resources.cached-bytes, -1B, cachedBytes at least 0",
        "rdma.resources.shared-receive-buffers, -1, sharedReceiveBuffers must be at least 0",
        "rdma.resources.shared-receive-buffer-size, 16B, sharedReceiveBufferSize at least 32",
        "rdma.connection.receive-buffers, 0, receiveBuffers must be from 1",
        "rdma.connection.receive-buffer-size, 16B, receiveBufferSize must be from 32",
        "rdma.connection.receive-buffer-size, big, DataSize",
        "rdma.connection.max-message-size, 2147483647B, maxMessageSize must be from 1 to 1073741824",
        "rdma.connection.max-message-size, 1099511627776B, must be at most 2147483647 bytes",
        "rdma.connection.max-message-size, -1B, maxMessageSize must be at least 1",
        "rdma.connection.send-buffers, 0, sendBuffers must be from 1",
        "rdma.connection.send-buffer-size, 0B, sendBufferSize must be from 1",
        "rdma.connection.signal-every, 0, signalEvery must be from 1",
        "rdma.connection.max-rd-atomic, 256, maxRdAtomic must be from 1 to 255",
        "rdma.connection.timeout, 0, timeout must be from 1 to 31",
        "rdma.connection.retry-cnt, 8, retryCnt must be from 0 to 7",
        "rdma.connection.rnr-retry, 8, rnrRetry must be from 0 to 7",
        "rdma.connection.min-rnr-timer, 0, minRnrTimer must be from 1 to 31",
        "rdma.connection.flow-control, tcp, FlowControl",
        "rdma.connection.connect-method, udp, ConnectMethod",
        "rdma.connection.queue-pair-type, UD, queuePairType must be RC or UC",
        "rdma.connection.handshake-timeout, PT0S, handshakeTimeout must be positive",
        "rdma.connection.handshake-timeout, soon, Duration",
        "rdma.connection.drain-timeout, PT-1S, drainTimeout must be positive",
        "rdma.connection.probe-interval, PT-1S, probeInterval must be zero",
        "rdma.connection.queue-pair.max-send-wr, 0, maxSendWr must be at least 1",
        "rdma.connection.queue-pair.max-receive-wr, 0, maxReceiveWr must be at least 1",
        "rdma.connection.queue-pair.max-send-sge, 0, maxSendSge must be at least 1",
        "rdma.connection.queue-pair.max-receive-sge, 0, maxReceiveSge must be at least 1",
        "rdma.connection.queue-pair.max-inline-data, -1B, maxInlineData must not be negative",
        "rdma.server.limits.connections, 0, a server must admit at least one connection",
        "rdma.server.limits.handshakes, 0, a server must admit at least one connection",
        "rdma.server.limits.handshakes-per-address, 0, a server must admit at least one connection",
        "rdma.client.port, 0, 'Set the port that the server listens on, from 1 to 65535'",
        "rdma.client.port, 65536, 'Set the port that the server listens on, from 1 to 65535'",
        "rdma.server.shutdown-timeout, PT-1S, Set 0s for a stop that does not wait",
        "rdma.ssl.bundle, nowhere, No SSL bundle has this name"
    })
    void aWrongValueNamesItsPropertyAndTheRemedy(String property, String value, String remedy) {
        contexts.withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(property)
                        .hasStackTraceContaining(value)
                        .hasStackTraceContaining(remedy));
    }

    @ParameterizedTest
    @CsvSource({"rdma.resources.processors, '0,,1'", "rdma.resources.completion-vectors, '0,'"})
    void aNumberThatIsMissingNamesItsProperty(String property, String value) {
        contexts.withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(property)
                        .hasStackTraceContaining("a number is missing"));
    }

    @ParameterizedTest
    @CsvSource({"rdma.server.port, 70000", "rdma.client.port, -1", "rdma.device, mlx5_77"})
    void aWrongValueOfABeanThatNeedsTheDeviceNamesItsProperty(String property, String value) {
        contexts.withPropertyValues("rdma.device=soft0", "rdma.required=true", property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Property " + property + " with value '" + value + "' is invalid"));
    }

    @Test
    void bundlesMayBeMissingAltogether() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
                .withPropertyValues("rdma.ssl.bundle=mine")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Property rdma.ssl.bundle with value 'mine' is invalid")
                        .hasStackTraceContaining("SslAutoConfiguration"));
    }
}
