FROM node:22-slim AS page
WORKDIR /source/web
COPY web .
RUN npm ci --no-audit --no-fund && npm run build

FROM python:3.12-slim AS build
WORKDIR /source
RUN python -m venv /venv
COPY . .
COPY --from=page /source/gql/web ./gql/web
RUN /venv/bin/pip install --no-cache-dir . -c constraints.txt

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home tablefold
WORKDIR /app
COPY --from=build /venv /venv
COPY examples ./examples
ENV PATH=/venv/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1
USER tablefold
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=5 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["tablefold", "serve", "examples.shop:gateway", "--host", "0.0.0.0", "--port", "8000"]
