import pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';

/** A simple query as it goes over the wire: its letter, its length, and the text that ends with a zero. */
function messageOf(statement: Buffer): Buffer {
  const message = Buffer.alloc(statement.length + 6);
  message[0] = 0x51;
  message.writeUInt32BE(statement.length + 5, 1);
  statement.copy(message, 5);
  return message;
}

/** Sends a statement as its bytes, which Postgres reads in the client_encoding of the session: pg sends UTF-8 only. */
export function sendStatement(client: pg.Client, statement: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query('', (error) => (error ? reject(error) : resolve()));
    query.submit = ({ stream }) => void stream.write(messageOf(statement));
    client.query(query);
  });
}

/** Sends `COPY ... FROM stdin` as its bytes; its rows are what is written to the stream. */
export function sendCopy(client: pg.Client, statement: Buffer): CopyStreamQuery {
  const copy = copyFrom('');
  copy.submit = (connection) => {
    Object.assign(copy, { connection });
    connection.stream.write(messageOf(statement));
  };
  return client.query(copy);
}
