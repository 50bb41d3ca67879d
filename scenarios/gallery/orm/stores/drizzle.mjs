import { desc, eq, relations } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import pg from 'pg';

const authors = pgTable('authors', { id: integer().primaryKey(), name: text().notNull() });
const posts = pgTable('posts', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  authorId: integer('author_id').notNull(),
  title: text().notNull(),
  body: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
const postsRelations = relations(posts, ({ one }) => ({
  author: one(authors, { fields: [posts.authorId], references: [authors.id] }),
}));

export async function open(options) {
  const pool = new pg.Pool(options);
  const db = drizzle(pool, { schema: { authors, posts, postsRelations } });
  return {
    post: (id) => db.query.posts.findFirst({ where: eq(posts.id, id), with: { author: true } }),
    postsOf: (authorId) =>
      db
        .select({ id: posts.id, title: posts.title, createdAt: posts.createdAt })
        .from(posts)
        .where(eq(posts.authorId, authorId))
        .orderBy(desc(posts.id))
        .limit(20),
    async addPost(authorId, title, body) {
      const [row] = await db.insert(posts).values({ authorId, title, body }).returning({ id: posts.id });
      return row;
    },
    close: () => pool.end(),
  };
}
