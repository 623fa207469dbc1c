// SPDX-License-Identifier: Apache-2.0

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/**
 * A REST catalog in a process of its own, by the servlet that Iceberg has among its tests. A folder holds the tables, SQLite their list.
 *
 * <p>The arguments are that folder and a file in which the address of the server then stands. While a file of the same name and
 * {@code .commits} is there, commits of tables are answered by the status in it: {@code 409} is not carried out, {@code done 502}
 * is, and the answer is lost.
 */
final class RestCatalog {

    public static void main(String[] arguments) throws Exception {
        var properties = Map.of(
            "type", "jdbc",
            "uri", "jdbc:sqlite:" + arguments[0] + ".db",
            "jdbc.schema-version", "V1",
            "warehouse", "file://" + arguments[0]);
        var catalog = CatalogUtil.buildIcebergCatalog("kept", properties, new Configuration());
        var context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
        context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
        var commits = new Commits(Path.of(arguments[1] + ".commits"));
        context.addFilter(new FilterHolder(commits), "/*", EnumSet.of(DispatcherType.REQUEST));
        var server = new Server(new InetSocketAddress("127.0.0.1", 0));
        server.setHandler(context);
        server.start();
        var port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        var written = Files.writeString(Path.of(arguments[1] + ".part"), "http://127.0.0.1:" + port);
        Files.move(written, Path.of(arguments[1]), StandardCopyOption.ATOMIC_MOVE);
        server.join();
    }

    /** Answers commits as a file says. */
    private record Commits(Path file) implements Filter {

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            var asked = (HttpServletRequest) request;
            var isCommit = asked.getMethod().equals("POST") && asked.getRequestURI().matches(".*/tables/[^/]+");
            if (!isCommit || !Files.exists(file)) {
                chain.doFilter(request, response);
                return;
            }
            var words = Files.readString(file).split(" ");
            if (words[0].equals("done")) {
                chain.doFilter(request, new Unheard((HttpServletResponse) response));
            }
            var status = words[words.length - 1];
            var answer = (HttpServletResponse) response;
            answer.setStatus(Integer.parseInt(status));
            answer.setContentType("application/json");
            answer.getWriter().write(
                "{\"error\": {\"message\": \"as the test says\", \"type\": \"Test\", \"code\": " + status + "}}");
        }
    }

    /** A response of which nothing arrives. */
    private static final class Unheard extends HttpServletResponseWrapper {

        Unheard(HttpServletResponse response) {
            super(response);
        }

        @Override
        public PrintWriter getWriter() {
            return new PrintWriter(OutputStream.nullOutputStream());
        }

        @Override
        public void setStatus(int status) {}

        @Override
        public void setHeader(String name, String value) {}
    }
}
