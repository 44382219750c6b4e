# The program in a container that runs as a user:
#
#     docker build -t lariat .
#     docker run --rm -v "$PWD:/work" lariat check net.pnml -F formulas.ltl
#
# The project's checks lint this file (`.ci/recipes`), but have no container engine to build it with.

FROM rust:1.90-slim-bookworm AS build
WORKDIR /lariat
COPY . .
RUN cargo rustc --locked --release --package lariat-cli --bin lariat --features distributed -- -C strip=symbols

FROM debian:bookworm-slim
RUN useradd --create-home --uid 1000 lariat
COPY --from=build /lariat/target/release/lariat /usr/local/bin/lariat
COPY --from=build /lariat/LICENSE-MIT /lariat/LICENSE-APACHE /usr/local/share/doc/lariat/
USER 1000
WORKDIR /work
ENTRYPOINT ["lariat"]
CMD ["--help"]
