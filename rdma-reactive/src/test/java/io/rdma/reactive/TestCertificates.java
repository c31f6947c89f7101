package io.rdma.reactive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed certificates, made by the JDK's keytool for one test run. */
final class TestCertificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;

    TestCertificates(Path folder) {
        this.folder = folder;
    }

    /** A key pair with a certificate. */
    KeyStore create(String name) throws IOException, InterruptedException, GeneralSecurityException {
        Path file = folder.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair"));
        command.addAll(List.of("-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-validity", "2"));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes());
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IOException(output);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    /** A context that proves itself with {@code own} and believes {@code trusted}. */
    static SSLContext context(KeyStore own, KeyStore trusted) throws GeneralSecurityException, IOException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD.toCharArray());
        KeyStore certificates = KeyStore.getInstance("PKCS12");
        certificates.load(null, null);
        for (String alias : java.util.Collections.list(trusted.aliases())) {
            certificates.setCertificateEntry(alias, trusted.getCertificate(alias));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(certificates);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
