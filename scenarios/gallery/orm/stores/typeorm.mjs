import 'reflect-metadata';
import { DataSource, EntitySchema } from 'typeorm';

const Author = new EntitySchema({
  name: 'Author',
  tableName: 'authors',
  columns: { id: { type: Number, primary: true }, name: { type: 'text' } },
});
const Post = new EntitySchema({
  name: 'Post',
  tableName: 'posts',
  columns: {
    id: { type: Number, primary: true, generated: 'identity' },
    authorId: { type: Number, name: 'author_id' },
    title: { type: 'text' },
    body: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at', createDate: true },
  },
  relations: { author: { type: 'many-to-one', target: 'Author', joinColumn: { name: 'author_id' } } },
});

export async function open({ connectionString, max }) {
  const source = new DataSource({ type: 'postgres', url: connectionString, poolSize: max, entities: [Author, Post] });
  await source.initialize();
  const posts = source.getRepository(Post);
  return {
    post: (id) => posts.findOne({ where: { id }, relations: { author: true } }),
    postsOf: (authorId) =>
      posts.find({
        select: { id: true, title: true, createdAt: true },
        where: { authorId },
        order: { id: 'DESC' },
        take: 20,
      }),
    addPost: async (authorId, title, body) => ({ id: (await posts.save({ authorId, title, body })).id }),
    close: () => source.destroy(),
  };
}
